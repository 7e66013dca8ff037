#include "functions/arguments.h"

#include <cmath>

namespace tofu::functions {

using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

bool is_sequence(Type type) {
  const TypeKind kind = type.kind();
  return kind == TypeKind::List || kind == TypeKind::Set || kind == TypeKind::Tuple;
}

bool is_list_or_tuple(Type type) {
  return type.kind() == TypeKind::List || type.kind() == TypeKind::Tuple;
}

bool is_map_or_object(Type type) {
  return type.kind() == TypeKind::Map || type.kind() == TypeKind::Object;
}

std::optional<std::int64_t> whole(const Value& number) {
  return number.plain().as_number().to_int64();
}

CallResult<double> floating(const Value& number) {
  const value::Number given = number.plain().as_number();
  const double result = given.to_double();
  if (std::isinf(result) && !given.is_infinite()) {
    return CallError{"the number is too large to calculate with here", std::nullopt};
  }
  return result;
}

std::string not_whole() { return "a whole number that fits into 64 bits is required"; }

std::optional<Type> element_type_of(std::span<const Value> items, Type element) {
  if (!element.has_dynamic()) return element;
  std::optional<Type> common;
  for (const Value& item : items) {
    const Type type = item.type();
    if (type.is_dynamic() || type == common) continue;
    if (common) return std::nullopt;
    common = type;
  }
  return common.value_or(element);
}

CallError mixed_types() {
  return {"the elements would have different types, which a collection cannot hold", std::nullopt};
}

bool known_equal(const Value& a, const Value& b) {
  return (a.is_null() && b.is_null()) || raw_equal(a, b);
}

}  // namespace tofu::functions
