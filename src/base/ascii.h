// ASCII letters, digits and blanks, independent of the locale.
//
// For names of protocols and formats: headers, schemes, versions, keywords. For text in natural
// languages, see base/unicode.h. A char beyond ASCII is none of these, and is left as it is.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace tofu::base {

inline constexpr std::string_view kAsciiSpace = " \t\n\v\f\r";

constexpr bool is_ascii_digit(char32_t c) { return c >= '0' && c <= '9'; }
constexpr bool is_ascii_lower(char32_t c) { return c >= 'a' && c <= 'z'; }
constexpr bool is_ascii_upper(char32_t c) { return c >= 'A' && c <= 'Z'; }
constexpr bool is_ascii_letter(char32_t c) { return is_ascii_lower(c) || is_ascii_upper(c); }
constexpr bool is_ascii_alphanumeric(char32_t c) { return is_ascii_letter(c) || is_ascii_digit(c); }

constexpr char ascii_lower(char c) { return is_ascii_upper(c) ? static_cast<char>(c + 32) : c; }
constexpr char ascii_upper(char c) { return is_ascii_lower(c) ? static_cast<char>(c - 32) : c; }

inline std::string ascii_lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_lower(c);
  return out;
}

inline std::string ascii_upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = ascii_upper(c);
  return out;
}

constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

// Without the blanks at both ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view blanks = kAsciiSpace) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

}  // namespace tofu::base
