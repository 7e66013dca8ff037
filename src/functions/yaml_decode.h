// YAML text to a value: one document, with anchors, aliases and merge keys.
//
// Mappings become objects and sequences become tuples. The text is not trusted:
// nesting is bounded, and so is what aliases may multiply a small text to.
#pragma once

#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace tofu::functions {

inline constexpr std::size_t kMaxYamlNesting = 1'000;
// How many scalars and collections aliases may stand for, all together.
inline constexpr std::size_t kMaxYamlAliased = 5'000'000;

base::Result<value::Value> parse_yaml(std::string_view text);

}  // namespace tofu::functions
