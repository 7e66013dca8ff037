#include "value/object_shape.h"

#include <algorithm>

#include "base/check.h"
#include "value/type_table.h"

namespace tofu::value {

namespace {

bool has_types_of(const TypeNode* object, std::span<const Value> items) {
  const auto attributes = Type::from_node(object).attributes();
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (attributes[i].type != items[i].type()) return false;
  }
  return true;
}

}  // namespace

ObjectShape::ObjectShape(std::span<const std::string_view> names)
    : names_(names.begin(), names.end()) {
  std::ranges::sort(names_);
  const auto repeated = std::ranges::unique(names_);
  names_.erase(repeated.begin(), repeated.end());
  places_.reserve(names.size());
  for (const std::string_view name : names) {
    const auto at = std::ranges::lower_bound(names_, name);
    places_.push_back(static_cast<std::uint32_t>(at - names_.begin()));
  }
}

ObjectShape::ObjectShape(const ObjectShape& other)
    : names_(other.names_),
      places_(other.places_),
      last_(other.last_.load(std::memory_order_acquire)) {}

ObjectShape& ObjectShape::operator=(const ObjectShape& other) {
  names_ = other.names_;
  places_ = other.places_;
  last_.store(other.last_.load(std::memory_order_acquire), std::memory_order_release);
  return *this;
}

Value ObjectShape::make(std::vector<Value> items) const {
  TOFU_CHECK(items.size() == names_.size(), "an object has a value for each name");
  const TypeNode* type = last_.load(std::memory_order_acquire);
  if (type == nullptr || !has_types_of(type, items)) {
    type = object_type_of(names_, items).node();
    last_.store(type, std::memory_order_release);
  }
  return ValueRep::make_items(Kind::Object, Type::from_node(type), {}, items);
}

Value object_of(std::span<const std::string_view> names, std::vector<Value> items) {
  TOFU_CHECK(items.size() == names.size(), "an object has a value for each name");
  const Type type = object_type_of(names, items);
  return ValueRep::make_items(Kind::Object, type, {}, items);
}

}  // namespace tofu::value
