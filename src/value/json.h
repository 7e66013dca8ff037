// Values and types as JSON, the way state files, plans and jsonencode have them.
//
// Numbers keep all their digits both ways. Input is not trusted: depth, size and
// encoding are checked, and every error says where.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

inline constexpr int kMaxJsonNesting = 10'000;

// The value that JSON text stands for, with the type it implies (arrays are
// tuples, objects are objects). One pass.
base::Result<Value> parse_json(std::string_view text);
// A value of exactly `type`; where the type is `any` the text holds
// {"value":…,"type":…}.
PathResult<Value> parse_json(std::string_view text, Type type);

// `v` is wholly known and unmarked (PathError otherwise). `type` may be wider
// than v's own: a part of type `any` is written with its type.
// Escapes <, >, & and U+2028/2029 as Go does.
PathResult<std::string> to_json(const Value& v, Type type);
PathResult<std::string> to_json(const Value& v);  // by the value's own type: never wraps

// The reason why to_json() cannot write `v`, even if it is known and unmarked: an infinite number
// or too much text.
std::optional<PathError> json_problem(const Value& v);

// Types as OpenTofu writes them: "string", ["list","string"], ["object",{…}].
std::string type_to_json(Type type);
base::Result<Type> parse_json_type(std::string_view text);

}  // namespace tofu::value
