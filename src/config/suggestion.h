// "Did you mean" suggestions for names that are not declared.
//
// Used where names of variables, locals and calls are looked up. Linear in the number of names, so
// only the first errors get one: with thousands of errors and thousands of names the rest would
// take too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "diag/diagnostic.h"

namespace tofu::config {

inline constexpr std::size_t kMaxSuggestions = 100;

// Begins with a space, to follow a sentence; empty if nothing declared is near, or if `reported`
// has many errors already.
template <class Declared>
std::string suggestion(std::string_view name, const Declared& declared,
                       const diag::Diagnostics& reported) {
  if (reported.error_count() >= kMaxSuggestions) return {};
  std::vector<std::string_view> names;
  for (const auto& one : declared) names.push_back(one.name);
  return base::did_you_mean(name, names);
}

}  // namespace tofu::config
