// What an author may have meant with a name that is not declared.
//
// Used where names of variables, locals and calls are looked up. Linear in the
// number of names, so only the first mistakes get one: with thousands of mistakes
// and thousands of names nobody would wait for the rest.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/suggest.h"
#include "diag/diagnostic.h"

namespace tofu::config {

inline constexpr std::size_t kMostSuggestions = 100;

// Begins with a space, to follow a sentence; empty if nothing declared is near, or
// if `reported` has many mistakes already.
template <class Declared>
std::string suggestion(std::string_view name, const Declared& declared,
                       const diag::Diagnostics& reported) {
  if (reported.error_count() >= kMostSuggestions) return {};
  std::vector<std::string_view> names;
  for (const auto& one : declared) names.push_back(one.name);
  return base::did_you_mean(name, names);
}

}  // namespace tofu::config
