// A long-running child process, such as a provider plugin.
//
// The owner reads its output at any time; run_guarded() (process.h) runs a program to its end. It
// sees none of our files, and it and all that it started are killed if we end first. A ChildProcess
// is started and given up on one thread: the system takes the end of that thread for our end.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "process/program_file.h"

namespace tofu::process {

class ChildProcess {
 public:
  // `arguments` is the program first, found on PATH; `environment` is added to ours. With a
  // `program`, that open file is started and not the file at its path, unless its content has
  // changed.
  static base::Result<ChildProcess> start(
      std::vector<std::string> arguments,
      const std::vector<std::pair<std::string, std::string>>& environment,
      const ProgramFile* program = nullptr);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it

  pid_t id() const { return id_; }
  // Its output. Reading gives EAGAIN instead of waiting.
  int output() const { return output_.number(); }
  int errors() const { return errors_.number(); }

  // It, with all that it started.
  void kill();
  // Its exit status, 128 + number if a signal ended it; nothing while it runs.
  std::optional<int> ended();

 private:
  ChildProcess(pid_t id, base::Descriptor output, base::Descriptor errors)
      : id_(id), output_(std::move(output)), errors_(std::move(errors)) {}

  pid_t id_;  // 0: moved away
  base::Descriptor output_;
  base::Descriptor errors_;
  std::optional<int> status_ = {};
};

}  // namespace tofu::process
