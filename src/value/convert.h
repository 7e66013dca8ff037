// Conversion between types, and the one type that several can become.
//
// "Safe" conversions cannot fail for any value of the source type (number to
// string); the others may (string to number). The rules are those of cty, which
// OpenTofu is built on. Marks travel; unknowns become unknowns of the target.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "value/path.h"
#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

enum class Safety : std::uint8_t { SafeOnly, AllowUnsafe };

// Whether values of type `from` can become `to` at all. True for equal types.
bool can_convert(Type from, Type to, Safety safety);

// `to` may contain `any` and optional attributes; the result then has a concrete
// type and missing optional attributes are null.
PathResult<Value> convert(const Value& v, Type to);

// The type all of `types` convert to, or nothing. Structural types of equal
// shape unify member by member, others become collections.
std::optional<Type> unify(std::span<const Type> types, Safety safety);
// unify and convert every value. Nothing if there is no such type; an error if
// a value refused an unsafe conversion.
struct Unified {
  Type type;
  std::vector<Value> values;
};
std::optional<PathResult<Unified>> unify_values(std::span<const Value> values, Safety safety);

// Why a value of type `got` does not fit `want`, as a clause for a message:
// "string required", `attribute "name" is required`.
std::string mismatch_message(Type got, Type want);

}  // namespace tofu::value
