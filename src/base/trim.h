// Trimming and splitting text.
//
// By code points: what is not UTF-8 counts as a replacement character, byte by byte. For
// names of protocols and formats, which are ASCII, see base/ascii.h.
#pragma once

#include <string_view>
#include <vector>

#include "base/unicode.h"

namespace tofu::base {

// Without the characters at the start that `unwanted` is true for.
template <class Unwanted>
std::string_view trim_start(std::string_view text, Unwanted&& unwanted) {
  while (!text.empty()) {
    const Decoded first = decode_utf8(text);
    if (!unwanted(first.code)) break;
    text.remove_prefix(first.length);
  }
  return text;
}

template <class Unwanted>
std::string_view trim_end(std::string_view text, Unwanted&& unwanted) {
  while (!text.empty()) {
    std::size_t start = text.size() - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0U) == 0x80U) --start;
    if (!unwanted(decode_utf8(text.substr(start)).code)) break;
    text = text.substr(0, start);
  }
  return text;
}

template <class Unwanted>
std::string_view trim(std::string_view text, Unwanted&& unwanted) {
  return trim_end(trim_start(text, unwanted), unwanted);
}

// White space of Unicode, as Go's strings.TrimSpace.
inline std::string_view trim_space(std::string_view text) { return trim(text, is_space); }

// The parts between all `separator`s: one more than there are of these.
inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

}  // namespace tofu::base
