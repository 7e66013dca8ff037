// The process of a plugin: started, listened to, and ended.
//
// Knows the first line of its output, the handshake, and its log; not the calls to it. Everything
// happens on the thread of the loop.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "process/child_process.h"
#include "process/program_file.h"
#include "providers/io_loop.h"
#include "providers/plugin_log.h"

namespace tofu::providers {

// The program to start: a path, or the file that was checked there.
struct PluginExecutable {
  const std::string& path;
  const process::ProgramFile* program = nullptr;
};

class PluginProcess {
 public:
  PluginProcess(IoLoop& loop, std::string name, base::Log log)
      : loop_(loop), log_(std::move(name), log) {}
  PluginProcess(const PluginProcess&) = delete;
  PluginProcess& operator=(const PluginProcess&) = delete;
  ~PluginProcess();  // kills it

  // `on_line` gets the first line of the output, or nothing if the output ends before one.
  base::Result<void> start(const PluginExecutable& executable,
                           const std::vector<std::pair<std::string, std::string>>& environment,
                           std::function<void(std::optional<std::string>)> on_line);

  // Once it has ended and all that it wrote was read, calls `done` with its exit status;
  // with nothing if it still runs at the end of `limit`. Once at a time.
  void await_end(std::chrono::milliseconds limit, std::function<void(std::optional<int>)> done);
  void kill();

  PluginLog& log() { return log_; }
  const PluginLog& log() const { return log_; }

 private:
  void read_output();
  void read_errors();
  void poll_end();

  IoLoop& loop_;
  PluginLog log_;
  std::optional<process::ChildProcess> child_;
  std::function<void(std::optional<std::string>)> on_line_;  // until it was called
  std::string output_;                                       // until then
  bool reads_output_ = false;
  bool reads_errors_ = false;

  std::function<void(std::optional<int>)> on_end_;
  IoLoop::Clock::time_point end_limit_ = {};
  std::optional<IoLoop::TimerId> timer_;
};

}  // namespace tofu::providers
