// Messages of other programs and servers, for quoting them inside a sentence of our own.
//
// Takes any text, and changes only its ends: secrets are removed by net::redact().
#pragma once

#include <string_view>

#include "base/trim.h"

namespace tofu::base {

// `text` without white space around it and without the full stops at its end: the sentence that
// quotes it has one of its own.
inline std::string_view without_full_stop(std::string_view text) {
  text = trim_space(text);
  while (text.ends_with('.')) text.remove_suffix(1);
  return text;
}

}  // namespace tofu::base
