// Text inside commands that a message proposes, for a shell to which they are copied.
//
// Keys of instances, and identities of locks, may be chosen by others: nothing of them is expanded
// or run.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/ascii.h"

namespace tofu::base {

// One word in single quotes, whatever it contains.
inline std::string shell_quoted(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

// The same, as it is where it needs no quotes.
inline std::string shell_word(std::string_view text) {
  constexpr std::string_view kPlain = "-_./:=@%+,";
  const bool is_plain = !text.empty() && std::ranges::all_of(text, [&](char c) {
    return is_ascii_alphanumeric(c) || kPlain.find(c) != std::string_view::npos;
  });
  return is_plain ? std::string(text) : shell_quoted(text);
}

}  // namespace tofu::base
