// A program that runs beside us for a while, such as a provider plugin.
//
// Whoever starts it reads what it prints when it likes; run_guarded() (process.h) is for
// programs that are waited for. It sees none of our files, and it and all that it started
// are killed if we end first. A ChildProcess is started and given up on one thread: the
// system takes the end of that thread for our end.
#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace tofu::base {

class ChildProcess {
 public:
  // `arguments` is the program first, found on PATH; `environment` is added to ours.
  static Result<ChildProcess> start(
      std::vector<std::string> arguments,
      const std::vector<std::pair<std::string, std::string>>& environment);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();  // kills it

  pid_t id() const { return id_; }
  // What it prints. Reading gives EAGAIN instead of waiting.
  int output() const { return output_.number(); }
  int errors() const { return errors_.number(); }

  // It, with all that it started.
  void kill();
  // Its exit status, 128 + number if a signal ended it; nothing while it runs.
  std::optional<int> ended();

 private:
  ChildProcess(pid_t id, Descriptor output, Descriptor errors)
      : id_(id), output_(std::move(output)), errors_(std::move(errors)) {}

  pid_t id_;  // 0: moved away
  Descriptor output_;
  Descriptor errors_;
  std::optional<int> status_ = {};
};

}  // namespace tofu::base
