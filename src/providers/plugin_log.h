// A plugin's output on standard error: log lines as JSON (hclog), or plain text.
//
// Each line goes to our log with the plugin's name and the level it has, and the last
// ones are kept: they say why a plugin has ended.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "base/log.h"

namespace tofu::providers {

struct PluginLogLine {
  base::LogLevel level = base::LogLevel::Debug;
  std::string text;
};

// Pure: what a line says, and how important it is.
PluginLogLine parse_plugin_log(std::string_view line);

// The first bytes of a text, in valid UTF-8, with a mark if there are more.
std::string beginning_of(std::string_view text, std::size_t most);

class PluginLog {
 public:
  PluginLog(std::string name, base::Log log) : name_(std::move(name)), log_(log) {}

  // Pieces of standard error, in order.
  void receive(std::string_view piece);
  // The last line may have no line feed.
  void end();
  // Unexpected output of the plugin.
  void unexpected(std::string_view channel, std::string_view text) const;

  // The last lines, each with a line feed: from a panic on, if there was one.
  std::string last_lines() const;

 private:
  void line(std::string_view line);

  std::string name_;
  base::Log log_;
  std::string begun_;       // a line that is not complete
  std::size_t cut_ = 0;     // bytes of it that are left out
  std::size_t logged_ = 0;  // bytes of all lines
  std::deque<std::string> last_;
  bool panics_ = false;
};

}  // namespace tofu::providers
