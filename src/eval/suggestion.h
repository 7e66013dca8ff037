// What an author may have meant with a name that is not declared.
//
// Used where names of variables, locals and calls are looked up. Linear in the
// number of names, and only after a mistake.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"

namespace tofu::eval {

// Begins with a space, to follow a sentence; empty if nothing declared is near.
template <class Declared>
std::string suggestion(std::string_view name, const Declared& declared) {
  std::vector<std::string_view> names;
  for (const auto& one : declared) names.push_back(one.name);
  const std::string_view near = base::nearest_name(name, names);
  return near.empty() ? "" : fmt::format(" Did you mean {:?}?", near);
}

}  // namespace tofu::eval
