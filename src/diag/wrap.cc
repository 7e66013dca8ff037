#include "diag/wrap.h"

#include <algorithm>
#include <cstddef>

#include "base/unicode.h"

namespace tofu::diag {

namespace {

constexpr char32_t kNoBreakSpace = 0xA0;

// Takes the longest prefix of `text` that is white space, or is none.
struct Run {
  std::string_view text;
  std::size_t length = 0;  // in code points
};

Run take_run(std::string_view& text, bool space) {
  std::size_t size = 0;
  Run run;
  while (size < text.size()) {
    const base::Decoded next = base::decode_utf8(text.substr(size));
    if ((base::is_space(next.code) && next.code != kNoBreakSpace) != space) break;
    size += next.length;
    ++run.length;
  }
  run.text = text.substr(0, size);
  text.remove_prefix(size);
  return run;
}

void append_wrapped(std::string& out, std::string_view line, std::size_t width) {
  std::size_t used = 0;
  while (!line.empty()) {
    const Run space = take_run(line, true);
    const Run word = take_run(line, false);
    const std::size_t before = used + space.length;
    if (word.length == 0) {
      if (before <= width) out += space.text;
      return;
    }
    // A word that fits on no line starts a new one only if that wins something.
    if (before > 1 && before + word.length > width && width > 1) {
      out += '\n';
      used = word.length;
    } else {
      out += space.text;
      used = before + word.length;
    }
    out += word.text;
  }
}

void append_escape(std::string& out, char32_t code) {
  constexpr std::string_view kHexDigits = "0123456789ABCDEF";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kHexDigits[(code >> shift) & 0xF];
}

bool is_plain_ascii(char c) { return (c >= 0x20 && c < 0x7F) || c == '\n' || c == '\t'; }

// Marks, embeddings, overrides and isolates of bidirectional text.
bool changes_direction(char32_t code) {
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

void append_safe(std::string& out, char32_t code) {
  if (code < 0x20) {
    base::append_utf8(out, 0x2400 + code);
  } else if (code == 0x7F) {
    base::append_utf8(out, 0x2421);
  } else if ((code >= 0x80 && code < 0xA0) || changes_direction(code)) {
    append_escape(out, code);
  } else {
    base::append_utf8(out, code);
  }
}

}  // namespace

std::string wrap_text(std::string_view text, int width) {
  if (width <= 0) return std::string(text);
  std::string out;
  out.reserve(text.size() + text.size() / 32);
  while (true) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    if (line.starts_with(' ')) {
      out += line;
    } else {
      append_wrapped(out, line, static_cast<std::size_t>(width));
    }
    if (end == std::string_view::npos) return out;
    out += '\n';
    text.remove_prefix(end + 1);
  }
}

std::string safe_for_terminal(std::string_view text, CarriageReturns returns) {
  std::size_t plain = 0;
  while (plain < text.size() && is_plain_ascii(text[plain])) ++plain;
  if (plain == text.size()) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  while (true) {
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) return out;
    const bool keep = returns == CarriageReturns::Keep && text.starts_with('\r');
    if (keep || text.starts_with("\r\n")) {
      out += '\r';
      text.remove_prefix(1);
    } else {
      const base::Decoded next = base::decode_utf8(text);
      append_safe(out, next.code);
      text.remove_prefix(next.length);
    }
    plain = 0;
    while (plain < text.size() && is_plain_ascii(text[plain])) ++plain;
  }
}

std::string json_safe_for_terminal(std::string_view json) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) < 0x7F; };
  if (std::ranges::all_of(json, is_plain)) return std::string(json);
  std::string out;
  out.reserve(json.size() + 8);
  while (!json.empty()) {
    const base::Decoded next = base::decode_utf8(json);
    if ((next.code >= 0x7F && next.code < 0xA0) || changes_direction(next.code)) {
      append_escape(out, next.code);
    } else {
      out += json.substr(0, next.length);
    }
    json.remove_prefix(next.length);
  }
  return out;
}

}  // namespace tofu::diag
