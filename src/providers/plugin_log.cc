#include "providers/plugin_log.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/unicode.h"
#include "value/json.h"
#include "value/value.h"

namespace tofu::providers {

namespace {

using base::LogLevel;
using value::Value;

constexpr std::size_t kMaxLine = 65536;
constexpr std::size_t kKeptLines = 12;
constexpr std::size_t kMaxShownLine = 2000;  // of a line in an error
// A provider of a large cloud writes far less at the level "trace" in hours.
constexpr std::size_t kMaxLogged = std::size_t{1} << 30;

LogLevel level_of(std::string_view name, LogLevel otherwise) {
  constexpr std::pair<std::string_view, LogLevel> kLevels[] = {
      {"trace", LogLevel::Trace}, {"debug", LogLevel::Debug}, {"info", LogLevel::Info},
      {"warn", LogLevel::Warn},   {"error", LogLevel::Error},
  };
  for (const auto& [text, level] : kLevels) {
    if (name == text) return level;
  }
  return otherwise;
}

// "[WARN] text", as the oldest plugins write.
PluginLogLine parse_plain(std::string_view line) {
  constexpr std::pair<std::string_view, LogLevel> kMarks[] = {
      {"[TRACE]", LogLevel::Trace}, {"[DEBUG]", LogLevel::Debug}, {"[INFO]", LogLevel::Info},
      {"[WARN]", LogLevel::Warn},   {"[ERROR]", LogLevel::Error},
  };
  for (const auto& [mark, level] : kMarks) {
    const std::size_t at = line.find(mark);
    if (at != std::string_view::npos) {
      std::string_view text = line.substr(at + mark.size());
      while (text.starts_with(' ')) text.remove_prefix(1);
      return {level, std::string(text)};
    }
  }
  return {LogLevel::Debug, std::string(line)};
}

std::string field_text(const Value& v) {
  if (v.is_null()) return "null";
  if (v.type() == value::Type::string()) return std::string(v.plain().as_string());
  auto json = value::to_json(v);
  return json ? std::move(*json) : std::string();
}

}  // namespace

PluginLogLine parse_plugin_log(std::string_view line) {
  if (!line.starts_with('{')) return parse_plain(line);
  const auto parsed = value::parse_json(line);
  if (!parsed || parsed->kind() != value::Kind::Object) return parse_plain(line);
  const Value* message = parsed->plain().find("@message");
  const Value* level = parsed->plain().find("@level");
  if (message == nullptr || level == nullptr || level->type() != value::Type::string()) {
    return parse_plain(line);
  }
  PluginLogLine made{level_of(level->plain().as_string(), LogLevel::Debug), field_text(*message)};
  const char* separator = ": ";
  value::for_each_element(parsed->plain(), [&](const Value& key, const Value& item) {
    const std::string_view name = key.plain().as_string();
    if (name == "@message" || name == "@level" || name == "@timestamp") return;
    made.text += fmt::format("{}{}={}", separator, name, field_text(item));
    separator = " ";
  });
  return made;
}

std::string beginning_of(std::string_view text, std::size_t most) {
  if (text.size() <= most) return base::to_valid_utf8(text);
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return base::to_valid_utf8(text.substr(0, most)) + "…";
}

void PluginLog::receive(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t feed = piece.find('\n');
    const std::string_view part = piece.substr(0, feed);
    // A line without an end is cut, so that it cannot fill the memory.
    const std::size_t taken = std::min(part.size(), kMaxLine - begun_.size());
    begun_ += part.substr(0, taken);
    cut_ += part.size() - taken;
    if (feed == std::string_view::npos) return;
    end();
    piece.remove_prefix(feed + 1);
  }
}

void PluginLog::end() {
  std::string whole = std::exchange(begun_, {});
  if (cut_ != 0) whole += fmt::format("… ({} bytes left out)", std::exchange(cut_, 0));
  if (!whole.empty()) line(whole);
}

void PluginLog::line(std::string_view raw) {
  while (!raw.empty() && raw.back() == '\r') raw.remove_suffix(1);
  if (raw.empty()) return;
  const std::string text = base::to_valid_utf8(raw);
  const bool begins_panic =
      !panics_ && (text.starts_with("panic: ") || text.starts_with("fatal error: "));
  if (begins_panic) last_.clear();
  panics_ |= begins_panic;
  if (!panics_ || last_.size() < kKeptLines) last_.push_back(text);
  if (last_.size() > kKeptLines) last_.pop_front();
  if (!log_.wants(LogLevel::Error) || logged_ > kMaxLogged) return;
  logged_ += text.size();
  if (logged_ > kMaxLogged) {
    log_.warn([&] {
      return fmt::format("provider.{}: it wrote more than 1 GiB; the rest is left out", name_);
    });
    return;
  }
  const PluginLogLine parsed = parse_plugin_log(text);
  log_.at(panics_ ? LogLevel::Error : parsed.level,
          [&] { return "provider." + name_ + ": " + parsed.text; });
}

void PluginLog::unexpected(std::string_view channel, std::string_view text) const {
  log_.warn([&] {
    return fmt::format("provider.{}: unexpected output on {}: {}", name_, channel,
                       beginning_of(text, kMaxLine));
  });
}

std::string PluginLog::last_lines() const {
  std::string text;
  for (const std::string& each : last_) {
    text += beginning_of(parse_plugin_log(each).text, kMaxShownLine) + "\n";
  }
  return text;
}

}  // namespace tofu::providers
