#include "value/assemble.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "value/object_shape.h"

namespace tofu::value {
namespace {

std::optional<Type> shared_type(std::span<const Value> items) {
  Type shared = Type::dynamic();
  for (const Value& item : items) {
    const Type type = item.type();
    if (type == shared || type.is_dynamic()) continue;
    if (!shared.is_dynamic()) return std::nullopt;
    shared = type;
  }
  return shared;
}

// A null or unknown of type `any` as an element of a collection of `type`.
Value with_type(const Value& v, Type type) {
  if (v.is_marked()) return with_type(v.unmarked(), type).with_marks(v.marks());
  return v.is_null() ? Value::null(type) : Value::unknown(type);
}

}  // namespace

std::optional<Type> settle_types(std::vector<Value>& items) {
  const auto type = shared_type(items);
  if (!type || type->is_dynamic()) return type;
  for (Value& item : items) {
    if (item.type() != *type) item = with_type(item, *type);
  }
  return type;
}

bool holds_capsule(Type type) {
  switch (type.kind()) {
    case TypeKind::Capsule: return true;
    case TypeKind::List:
    case TypeKind::Set:
    case TypeKind::Map: return holds_capsule(type.element());
    case TypeKind::Tuple:
      return std::any_of(type.elements().begin(), type.elements().end(), holds_capsule);
    case TypeKind::Object:
      return std::any_of(type.attributes().begin(), type.attributes().end(),
                         [](const ObjectAttribute& a) { return holds_capsule(a.type); });
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String: return false;
  }
  return false;
}

Value object_of(Type expected, std::vector<Value> items) {
  const auto attributes = expected.attributes();
  bool as_expected = true;
  for (std::size_t i = 0; i < items.size() && as_expected; ++i) {
    as_expected = items[i].type() == attributes[i].type;
  }
  if (as_expected) return Value::object(expected, std::move(items));
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const ObjectAttribute& attribute : attributes) names.push_back(attribute.name);
  return object_of(names, std::move(items));
}

}  // namespace tofu::value
