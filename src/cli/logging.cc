#include "cli/logging.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

#include "base/ascii.h"
#include "base/check.h"
#include "base/json_writer.h"
#include "cli/json_log.h"
#include "diag/wrap.h"

namespace tofu::cli {

namespace {

using base::LogLevel;

struct Named {
  std::string_view name;  // in the environment
  LogLevel level;
};
constexpr std::array<Named, 7> kLevels = {{{"TRACE", LogLevel::Trace},
                                           {"DEBUG", LogLevel::Debug},
                                           {"INFO", LogLevel::Info},
                                           {"WARN", LogLevel::Warn},
                                           {"ERROR", LogLevel::Error},
                                           {"OFF", LogLevel::Off},
                                           {"JSON", LogLevel::Trace}}};  // everything, as JSON

// The first of these variables that is set.
struct Setting {
  std::string_view variable;
  std::string word;  // empty: none is set
};
Setting setting_of(const Environment& environment, std::string_view first,
                   std::string_view second) {
  for (const std::string_view name : {first, second}) {
    const std::string_view text = environment.variable(name);
    if (!text.empty()) return {name, base::ascii_upper(text)};
  }
  return {};
}

LogLevel level_of(const Setting& setting, Output& err) {
  if (setting.word.empty()) return LogLevel::Off;
  const auto* found = std::ranges::find(kLevels, setting.word, &Named::name);
  if (found != kLevels.end()) return found->level;
  err.line(
      fmt::format("[WARN] {} is {:?}, which is not a log level. Logging everything, as with TRACE. "
                  "Valid levels: TRACE, DEBUG, INFO, WARN, ERROR, OFF and JSON.",
                  setting.variable, setting.word));
  err.flush();
  return LogLevel::Trace;
}

std::string_view name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Trace: return "TRACE";
    case LogLevel::Debug: return "DEBUG";
    case LogLevel::Info: return "INFO";
    case LogLevel::Warn: return "WARN";
    case LogLevel::Error: return "ERROR";
    case LogLevel::Off: break;
  }
  base::broken_promise("nothing is logged at the level Off");
}

}  // namespace

// What comes from outside must not look like a line of its own.
std::string log_line_text(std::string_view time, LogLevel level, std::string_view text) {
  std::string line = fmt::format("{} {:<7} ", time, fmt::format("[{}]", name_of(level)));
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7F) {
      line += c;
    } else {
      line += c == '\n' ? "\\n" : fmt::format("\\x{:02x}", byte);
    }
  }
  return diag::safe_for_terminal(line) + '\n';
}

std::string log_line_json(std::string_view time, LogLevel level, std::string_view text) {
  const std::string level_name = base::ascii_lower(name_of(level));
  std::string line;
  base::JsonWriter json(line);
  json.begin_object();
  json.field("@level", level_name);
  json.field("@message", text);
  json.field("@timestamp", time);
  json.end_object();
  return line + '\n';
}

Logging::Logging(const Environment& environment, Output& err) : environment_(environment) {
  const Setting core = setting_of(environment, "TF_LOG", "TF_LOG_CORE");
  const Setting provider = setting_of(environment, "TF_LOG_PROVIDER", "TF_LOG");
  core_level_ = level_of(core, err);
  provider_level_ = provider.variable == core.variable ? core_level_ : level_of(provider, err);
  as_json_ = core.word == "JSON";
  if (core_level_ == LogLevel::Off && provider_level_ == LogLevel::Off) return;
  const std::string path(environment.variable("TF_LOG_PATH"));
  if (!path.empty()) open_file(path, err);
}

void Logging::open_file(const std::string& path, Output& err) {
  file_ = base::open_file(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file_.is_open()) return;
  err.line(
      fmt::format("[WARN] Cannot open {}, the log file set by TF_LOG_PATH: {}. Logging to standard "
                  "error instead.",
                  path, base::system_error(errno).what));
  err.flush();
}

void Logging::write(LogLevel level, std::string_view text) {
  const std::string time = timestamp(environment_);
  const std::string line =
      as_json_ ? log_line_json(time, level, text) : log_line_text(time, level, text);
  // A log that cannot be written is no reason to stop.
  (void)base::write_all(file_.is_open() ? file_.number() : STDERR_FILENO, line);
}

}  // namespace tofu::cli
