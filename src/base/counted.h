// A number with its noun, as people write it: 1 object, 2 objects.
//
// For messages: nouns are English and regular, so that an s makes the plural. The caller writes out
// irregular ones (copy, copies).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tofu::base {

// `noun` takes an s for the plural.
inline std::string counted(std::size_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  if (count != 1) text += 's';
  return text;
}

}  // namespace tofu::base
