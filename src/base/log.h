// Log lines for debugging, enabled by TF_LOG.
//
// A Log is a handle of two words that is passed by value; the default one is off. The text of a
// line is made only if its level is enabled; otherwise the line costs one comparison. No secret may
// enter: callers redact URLs, arguments and values first.
#pragma once

#include <cstdint>
#include <string_view>

namespace tofu::base {

enum class LogLevel : std::uint8_t { Trace, Debug, Info, Warn, Error, Off };

// The destination of log lines. May be written to by several threads.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(LogLevel level, std::string_view text) = 0;
};

class Log {
 public:
  Log() = default;
  // The lines of `least` and above. The sink outlives every copy.
  Log(LogSink& sink, LogLevel least) : sink_(&sink), least_(least) {}

  bool wants(LogLevel level) const { return level >= least_ && level != LogLevel::Off; }

  // `make` returns the text of the line.
  template <class Make>
  void trace(Make&& make) const {
    line(LogLevel::Trace, make);
  }
  template <class Make>
  void debug(Make&& make) const {
    line(LogLevel::Debug, make);
  }
  template <class Make>
  void info(Make&& make) const {
    line(LogLevel::Info, make);
  }
  template <class Make>
  void warn(Make&& make) const {
    line(LogLevel::Warn, make);
  }
  // For lines that another program has given a level.
  template <class Make>
  void at(LogLevel level, Make&& make) const {
    line(level, make);
  }

 private:
  template <class Make>
  void line(LogLevel level, Make& make) const {
    if (wants(level)) sink_->write(level, make());
  }

  LogSink* sink_ = nullptr;
  LogLevel least_ = LogLevel::Off;
};

}  // namespace tofu::base
