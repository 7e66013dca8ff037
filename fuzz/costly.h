// Inputs whose evaluation takes long by right, in OpenTofu too.
//
// Targets that evaluate leave them out, because a slow run would tell nothing. What
// is slow but should not be has to stay in.
#pragma once

#include <cctype>
#include <cstddef>
#include <string_view>

namespace tofu::fuzz {

// Loops in loops take exponential time and huge exponents print huge numbers.
inline bool is_costly(std::string_view text) {
  int loops = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '*' || text.substr(i, 3) == "for") ++loops;
    if (text[i] != 'e' && text[i] != 'E') continue;
    std::size_t digits = i + 1;
    while (digits < text.size() && (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 ||
                                    text[digits] == '+' || text[digits] == '-')) {
      ++digits;
    }
    if (digits - i > 5) return true;
  }
  return loops > 8 || text.size() > 4'096;
}

}  // namespace tofu::fuzz
