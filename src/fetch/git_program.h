// Runs the `git` program in one directory with restricted settings.
//
// It reads the user's configuration, which has logins and proxies, but nothing of
// that may run other programs for it, and no question is asked on the terminal.
// Private to git_fetch.cc.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"

namespace tofu::fetch {

class GitProgram {
 public:
  GitProgram(std::string directory, const base::Log& log, const std::stop_token& stop)
      : directory_(std::move(directory)), log_(log), stop_(stop) {}

  // Colon-separated transports, instead of git's own choice.
  void allow_only(std::string transports) { transports_ = std::move(transports); }
  // The command for connections by ssh.
  void connect_by(std::string ssh_command) { ssh_command_ = std::move(ssh_command); }
  // Text that no error may show.
  void hide(std::string secret) { secrets_.push_back(std::move(secret)); }
  void limit_files(std::uint64_t bytes) { file_limit_ = bytes; }
  // Asked now and then while git runs; false ends it.
  void watch(std::function<bool()> may_go_on) { may_go_on_ = std::move(may_go_on); }

  // Repositories that git makes by itself, of submodules, also run no filters.
  base::Result<void> without_filters();

  // Its output. An error if it fails, with what git says about it.
  base::Result<std::string> run(std::vector<std::string> arguments) const;
  // Gives its output piece by piece, until the answer is false.
  base::Result<void> run(std::vector<std::string> arguments,
                         std::function<bool(std::string_view)> on_output) const;

 private:
  base::Result<std::string> start(std::vector<std::string> arguments,
                                  std::function<bool(std::string_view)> on_output) const;
  std::string clean(std::string_view errors) const;

  std::string directory_;
  base::Log log_;
  std::stop_token stop_;
  std::string transports_;
  std::string ssh_command_;
  std::string template_;  // for new repositories
  std::vector<std::string> secrets_;
  std::uint64_t file_limit_ = 0;
  std::function<bool()> may_go_on_;
};

}  // namespace tofu::fetch
