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

bool is_hidden(unsigned char byte) {
  return (byte < 0x20 && byte != '\n' && byte != '\r' && byte != '\t') || byte == 0x7F;
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

std::string show_control_characters(std::string_view text) {
  const auto hidden = [](char c) { return is_hidden(static_cast<unsigned char>(c)); };
  if (std::ranges::none_of(text, hidden)) return std::string(text);
  std::string out;
  out.reserve(text.size() + 8);
  for (const char c : text) {
    if (!hidden(c)) {
      out += c;
    } else {
      base::append_utf8(out, c == 0x7F ? 0x2421 : 0x2400 + static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace tofu::diag
