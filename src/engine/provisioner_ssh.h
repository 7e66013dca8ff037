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

#include "base/process.h"
#include "base/result.h"
#include "engine/provisioner_connection.h"

namespace tofu::engine {

class SshConnection {
  struct Inside;

 public:
  using Output = std::function<void(std::string_view)>;

  // Tries again until the timeout of the settings: a machine that was just made may need
  // a while. `output`, if there is one, is told of each attempt.
  static base::Result<std::unique_ptr<SshConnection>> open(const SshSettings& settings,
                                                           const Output& output,
                                                           const std::stop_token& stop);
  explicit SshConnection(std::unique_ptr<Inside> inside);  // for open()
  SshConnection(const SshConnection&) = delete;
  SshConnection& operator=(const SshConnection&) = delete;
  ~SshConnection();

  // Runs a command of the machine's shell to its end, and gives its exit status. It has a
  // terminal, if the machine knows what that is, so that it ends when we do.
  base::Result<int> run(const std::string& command, const Output& output,
                        const std::stop_token& stop) const;
  // The same for a command to talk to: `process` has what is said and heard.
  base::Result<base::GuardedResult> talk(const std::string& command, base::GuardedProcess process,
                                         const std::stop_token& stop) const;

 private:
  std::unique_ptr<Inside> inside_;
};

// The last words of what ssh printed, for an error.
std::string last_words(std::string_view errors);

}  // namespace tofu::engine
