// Copying files to another machine, with the `scp` program there.
//
// Creates the data to send: a line for each file and directory, then the content; the program
// answers each with a byte. For the provisioner*.cc files only.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "process/process.h"
#include "provisioners/provisioner_ssh.h"

namespace tofu::provisioners {

// The files to copy, in order.
class ScpSource {
 public:
  // A file with this content.
  void add_text(std::string_view name, unsigned mode, std::string content);
  // A file of this machine. Readable by all afterwards, and nothing else, as OpenTofu has it.
  base::Result<void> add_file(std::string_view name, const std::string& path);
  // The contents of a directory, and the directory itself unless `path` ends with a slash.
  base::Result<void> add_directory(const std::string& path);

  // The next part of the data, as the process requests it.
  process::GuardedProcess::Input next();
  // Takes the answers. False: it failed.
  bool heard(std::string_view answers);
  // The error; empty without one.
  const std::string& problem() const { return problem_; }
  bool is_done() const { return next_step_ == steps_.size() && is_answered_; }

 private:
  struct FromFile {
    std::string path;
    std::uint64_t size;
  };
  struct Step {
    std::string line;                                                  // the data to send first
    std::variant<std::monostate, std::string, FromFile> content = {};  // of a file, after an answer
  };

  base::Result<void> add_entries(const std::string& path, unsigned depth);
  base::Result<void> add_inside(std::string_view name, const std::string& path, unsigned depth);
  process::GuardedProcess::Input content();
  process::GuardedProcess::Input fail(std::string problem);

  std::vector<Step> steps_;
  std::size_t next_step_ = 0;
  bool is_answered_ = false;  // whether the last thing sent was; the program speaks first
  bool in_content_ = false;   // of the step before the next one
  base::Descriptor file_;     // that is being sent
  std::uint64_t left_ = 0;    // of it
  bool in_message_ = false;   // of a problem
  std::string problem_;
};

// The destination of files.
struct CopyTarget {
  std::string directory;
  bool is_there = true;  // or else it is made of the directory that is copied
  bool is_windows = false;
};
base::Result<void> copy_over(const SshConnection& connection, ScpSource source,
                             const CopyTarget& target, const std::stop_token& stop);

// A word of a command line, for the shell of the other machine.
std::string quote_for(std::string_view word, bool is_windows);

}  // namespace tofu::provisioners
