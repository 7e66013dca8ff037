// Reading arguments and building results: the small questions that many
// functions ask of values.
//
// A parameter that lets marks through hands the body values whose own marks are
// still on, so these look through them. Nothing here decides about a function.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "syntax/function.h"
#include "value/number.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::functions {

bool is_sequence(value::Type type);  // a list, set or tuple
bool is_list_or_tuple(value::Type type);
bool is_map_or_object(value::Type type);

// The number as Go's int, if it is one exactly.
std::optional<std::int64_t> whole(const value::Value& number);
// The number as Go's float64. An error if it is finite but too large for one.
syntax::CallResult<double> floating(const value::Value& number);

// The error for a number that whole() refuses.
std::string not_whole();

// The type of the elements of a collection that is to hold `items`: `element`,
// or where that leaves something open, what the items agree on. Nothing if they
// do not.
std::optional<value::Type> element_type_of(std::span<const value::Value> items,
                                           value::Type element);
syntax::CallError mixed_types();  // what to say then

// Whether two wholly known values without marks are equal in the language's
// sense: nulls of any types are.
bool known_equal(const value::Value& a, const value::Value& b);

}  // namespace tofu::functions
