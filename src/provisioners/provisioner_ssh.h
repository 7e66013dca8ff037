// A connection to another machine over ssh.
//
// It is the `ssh` program of OpenSSH that connects: it knows every kind of key, agent and
// certificate. One of its processes keeps the connection, and one more runs each command
// over it, so that a machine which counts connections sees one. Nothing of the user's or
// the machine's ssh configuration is read.
//
// Secrets are given to it in files in memory: never as arguments, in the environment
// or on disk. For the provisioner*.cc files only.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "process/process.h"
#include "provisioners/provisioner_connection.h"

namespace tofu::provisioners {

class SshConnection {
  struct Impl;

 public:
  using Output = std::function<void(std::string_view)>;

  // Tries again until the timeout of the settings: a machine that was just made may need a while.
  // Each attempt is reported to `output`, if present.
  static base::Result<std::unique_ptr<SshConnection>> open(const SshSettings& settings,
                                                           const Output& output,
                                                           const std::stop_token& stop);
  explicit SshConnection(std::unique_ptr<Impl> inside);  // for open()
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;
  ~SshConnection();

  // Runs a command of the machine's shell to its end, and gives its exit status. It has a
  // terminal, if the machine knows what that is, so that it ends when we do.
  base::Result<int> run(const std::string& command, const Output& output,
                        const std::stop_token& stop) const;
  // The same for a command to talk to: `process` provides the input and takes the output.
  base::Result<process::GuardedResult> talk(const std::string& command,
                                            process::GuardedProcess process,
                                            const std::stop_token& stop) const;

 private:
  std::unique_ptr<Impl> impl_;
};

// The last words of what ssh printed, for an error.
std::string last_words(std::string_view errors);

}  // namespace tofu::provisioners
