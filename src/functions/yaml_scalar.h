// The value of a single YAML scalar: text, number, bool or null.
//
// The rules are those of go-cty-yaml: YAML 1.1's words for true and false, YAML
// 1.2's numbers, and timestamps, which become RFC 3339 text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/value.h"

namespace tofu::functions {

enum class ScalarStyle : std::uint8_t { Plain, Quoted, Block };

// `tag` is in its long form (tag:yaml.org,2002:int) or empty.
base::Result<value::Value> resolve_yaml_scalar(std::string_view tag, std::string_view text,
                                               ScalarStyle style);

}  // namespace tofu::functions
