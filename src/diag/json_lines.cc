#include "diag/json_lines.h"

#include <algorithm>
#include <iterator>
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

EscapedNewlines::EscapedNewlines(std::string_view text) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    add_line(text.substr(0, end), begin, end);
    begin = end + 1;
  }
}

void EscapedNewlines::add_line(std::string_view text, std::size_t begin, std::size_t end) {
  for (std::size_t open = text.find('"', begin); open != std::string_view::npos;) {
    const std::size_t first = newlines_.size();
    std::size_t meant = open + 1;
    std::size_t here = open + 1;
    while (here < end && text[here] != '"') {
      const auto character = first_character(text.substr(here));
      if (!character) {
        newlines_.resize(first);
        return;
      }
      if (character->newline) newlines_.push_back(meant);
      meant += character->meant;
      here += character->written;
    }
    if (newlines_.size() > first) strings_.push_back({open, here, first});
    open = text.find('"', here + 1);
  }
}

std::uint32_t EscapedNewlines::before(std::size_t at) const {
  const auto after = std::ranges::lower_bound(strings_, at, {}, &JsonString::open);
  if (after == strings_.begin() || at > std::prev(after)->close) return 0;
  const auto first = newlines_.begin() + static_cast<std::ptrdiff_t>(std::prev(after)->first);
  const auto last = std::lower_bound(first, newlines_.end(), at);
  return static_cast<std::uint32_t>(last - first);
}

}  // namespace tofu::diag
