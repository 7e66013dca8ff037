#include "schema/members.h"

#include <string>

#include "base/check.h"
#include "value/assemble.h"

namespace tofu::schema {

using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

Value part_of(const Value& object, std::size_t position, Type type) {
  if (object.kind() == Kind::Object) return object.unmarked().items()[position];
  if (object.type().kind() == TypeKind::Object) type = object.type().attributes()[position].type;
  return object.is_unknown() ? Value::unknown(type) : Value::null(type);
}

Value spread_out(const Value& object) {
  if (!object.is_unknown() || object.type().kind() != TypeKind::Object) return object;
  std::vector<Value> parts;
  for (const value::ObjectAttribute& attribute : object.type().attributes()) {
    parts.push_back(Value::unknown(attribute.type));
  }
  return Value::object(object.type(), std::move(parts));
}

Value empty_value(const NestedBlock& nested) {
  if (nested.nesting == Nesting::Group) return empty_value(*nested.block);
  const Type type = nested.block->implied_type();
  switch (nested.nesting) {
    case Nesting::Single:
    case Nesting::Group: return Value::null(type);
    // Blocks whose type is not settled may differ from each other.
    case Nesting::List: return type.has_dynamic() ? Value::tuple({}) : Value::list(type, {});
    case Nesting::Set: return Value::set(type, {});
    case Nesting::Map: return type.has_dynamic() ? Value::object({}) : Value::map(type, {});
  }
  base::broken_promise("a nesting out of range");
}

Value empty_value(const Block& block) {
  std::vector<value::Attr> parts;
  Members(block).each([&](std::size_t, const Attribute* attribute, const NestedBlock* nested) {
    if (attribute != nullptr) {
      parts.push_back(
          {attribute->name, Value::null(attribute->type.without_optional_attributes())});
    } else {
      parts.push_back({nested->name, empty_value(*nested)});
    }
  });
  return Value::object(std::move(parts));
}

namespace {

bool same_keys(const Value& a, const Value& b) {
  const auto left = a.unmarked().map_keys();
  const auto right = b.unmarked().map_keys();
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].unmarked().as_string() != right[i].unmarked().as_string()) return false;
  }
  return true;
}

}  // namespace

bool same_unrefined(const Value& a, const Value& b) {
  if (a.wholly_known() || b.wholly_known()) return raw_equal(a, b);
  std::vector<std::pair<const Value*, const Value*>> open{{&a, &b}};
  while (!open.empty()) {
    const auto [left, right] = open.back();
    open.pop_back();
    if (left->is_same(*right)) continue;
    if (left->kind() != right->kind() || left->type() != right->type()) return false;
    if (left->is_unknown()) continue;
    if (!has_items(*left)) {
      if (!raw_equal(*left, *right)) return false;
      continue;
    }
    if (left->unmarked().size() != right->unmarked().size()) return false;
    if (left->kind() == Kind::Map && !same_keys(*left, *right)) return false;
    for (std::size_t i = left->unmarked().size(); i-- > 0;) {
      open.emplace_back(&left->unmarked().items()[i], &right->unmarked().items()[i]);
    }
  }
  return true;
}

Value with_items(const Value& like, std::vector<Value> items) {
  TOFU_CHECK(items.size() == like.unmarked().size(), "a container keeps its number of items");
  if (like.kind() == Kind::Object) return value::object_of(like.type(), std::move(items));
  if (like.kind() == Kind::Tuple) return Value::tuple(std::move(items));
  // Parts of type `any` may have given the elements types of their own. No schema
  // should allow that inside a collection; a value of some type is better than none.
  const auto element = value::settle_types(items);
  if (like.kind() == Kind::Map) {
    const auto keys = like.unmarked().map_keys();
    if (element) return Value::map(*element, {keys.begin(), keys.end()}, std::move(items));
    std::vector<value::Attr> parts;
    for (std::size_t i = 0; i < items.size(); ++i) {
      parts.push_back({std::string(keys[i].unmarked().as_string()), std::move(items[i])});
    }
    return Value::object(std::move(parts));
  }
  if (!element) return Value::tuple(std::move(items));
  if (like.kind() == Kind::Set) return Value::set(*element, std::move(items));
  return Value::list(*element, std::move(items));
}

void Edited::add(Value item) {
  const auto items = original_.unmarked().items();
  TOFU_CHECK(position_ < items.size(), "a container keeps its number of items");
  if (!changed_ && !item.is_same(items[position_])) {
    changed_ = true;
    items_.reserve(items.size());
    items_.assign(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(position_));
  }
  if (changed_) items_.push_back(std::move(item));
  ++position_;
}

Value Edited::result() && {
  TOFU_CHECK(position_ == original_.unmarked().size(), "a container keeps its number of items");
  return changed_ ? with_items(original_, std::move(items_)) : original_;
}

}  // namespace tofu::schema
