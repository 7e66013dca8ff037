#include "schema/schema.h"

#include <algorithm>

#include "base/check.h"

namespace tofu::schema {

namespace {

using value::ObjectAttribute;
using value::Type;

template <class T>
const T* find_named(const std::vector<T>& sorted, std::string_view name) {
  const auto at = std::ranges::lower_bound(sorted, name, {}, &T::name);
  return at != sorted.end() && at->name == name ? &*at : nullptr;
}

Type nested(Type inside, Nesting nesting) {
  switch (nesting) {
    case Nesting::Single:
    case Nesting::Group: return inside;
    // Blocks whose type is not settled may differ from each other, so their
    // collection has no type of its own yet.
    case Nesting::List: return inside.has_dynamic() ? Type::dynamic() : Type::list(inside);
    case Nesting::Map: return inside.has_dynamic() ? Type::dynamic() : Type::map(inside);
    case Nesting::Set: return Type::set(inside);
  }
  base::broken_promise("a nesting out of range");
}

}  // namespace

const Attribute* Block::attribute(std::string_view name) const {
  return find_named(attributes, name);
}

const NestedBlock* Block::block(std::string_view name) const { return find_named(blocks, name); }

Type Block::implied_type() const {
  Type type = known_type.get();
  if (!type.is_dynamic()) return type;
  type = constraint_type().without_optional_attributes();
  known_type.set(type);
  return type;
}

Type Block::constraint_type() const {
  std::vector<ObjectAttribute> parts;
  parts.reserve(attributes.size() + blocks.size());
  for (const Attribute& attribute : attributes) parts.push_back({attribute.name, attribute.type});
  for (const NestedBlock& nested_block : blocks) {
    // An attribute hides a block of the same name; providers should not have both.
    if (attribute(nested_block.name) != nullptr) continue;
    parts.push_back(
        {nested_block.name, nested(nested_block.block->constraint_type(), nested_block.nesting)});
  }
  return Type::object(std::move(parts));
}

Type type_of(const NestedType& type) {
  std::vector<ObjectAttribute> parts;
  for (const Attribute& attribute : type.attributes) {
    parts.push_back({attribute.name, attribute.type, attribute.optional || attribute.computed});
  }
  const Type object = Type::object(std::move(parts));
  switch (type.nesting) {
    case Nesting::Single:
    case Nesting::Group: return object;
    case Nesting::List: return Type::list(object);
    case Nesting::Set: return Type::set(object);
    case Nesting::Map: return Type::map(object);
  }
  base::broken_promise("a nesting out of range");
}

}  // namespace tofu::schema
