// Finds the length of a prefix that needs no escaping.
//
// Long strings are mostly letters and digits. Writers and readers of escaped text skip these in
// large steps and look at single bytes only elsewhere.
#pragma once

#include <cstddef>
#include <string_view>

namespace tofu::base {

inline constexpr std::size_t kPlainStep = 32;

namespace plain_text_detail {
std::size_t plain_steps(std::string_view text);
}

// A length that is safe to skip: printable ASCII without ", \, <, > and &. There may be more
// of it behind, less than kPlainStep bytes.
inline std::size_t plain_prefix(std::string_view text) {
  return text.size() < kPlainStep ? 0 : plain_text_detail::plain_steps(text);
}

}  // namespace tofu::base
