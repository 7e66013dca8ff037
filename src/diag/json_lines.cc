#include "diag/json_lines.h"

#include <optional>

#include "base/hex.h"

namespace tofu::diag {

namespace {

// One character of a string as it is written and as it is meant.
struct Character {
  std::size_t written;
  std::size_t meant;  // bytes of UTF-8
  bool newline = false;
};

std::optional<std::uint32_t> four_digits(std::string_view text) {
  if (text.size() < 4) return std::nullopt;
  std::uint32_t code = 0;
  for (const char c : text.substr(0, 4)) {
    const int digit = base::hex_digit(c);
    if (digit < 0) return std::nullopt;
    code = code * 16 + static_cast<std::uint32_t>(digit);
  }
  return code;
}

bool is_low_surrogate(std::optional<std::uint32_t> code) {
  return code && *code >= 0xDC00 && *code <= 0xDFFF;
}

// `text` begins with \u.
std::optional<Character> unicode_escape(std::string_view text) {
  const auto code = four_digits(text.substr(2));
  if (!code) return std::nullopt;
  const bool high = *code >= 0xD800 && *code < 0xDC00;
  if (high && text.substr(6).starts_with("\\u") && is_low_surrogate(four_digits(text.substr(8)))) {
    return Character{12, 4};
  }
  return Character{6, *code < 0x80 ? 1u : *code < 0x800 ? 2u : 3u, *code == '\n'};
}

// Nothing if there is no such escape.
std::optional<Character> first_character(std::string_view text) {
  if (text[0] != '\\') return Character{1, 1};
  if (text.size() < 2) return std::nullopt;
  if (text[1] == 'u') return unicode_escape(text);
  if (std::string_view("\"\\/bfnrt").find(text[1]) == std::string_view::npos) return std::nullopt;
  return Character{2, 1, text[1] == 'n'};
}

}  // namespace

std::uint32_t escaped_newlines_before(std::string_view line, std::size_t at) {
  for (std::size_t open = line.find('"'); open < at && open != std::string_view::npos;) {
    const std::size_t wanted = at - open - 1;  // bytes of what the string means
    std::size_t meant = 0;
    std::uint32_t newlines = 0;
    std::size_t here = open + 1;
    while (here < line.size() && line[here] != '"') {
      const auto character = first_character(line.substr(here));
      if (!character) return 0;
      if (meant < wanted) newlines += character->newline ? 1 : 0;
      meant += character->meant;
      here += character->written;
    }
    if (at <= here) return newlines;
    open = line.find('"', here + 1);
  }
  return 0;
}

}  // namespace tofu::diag
