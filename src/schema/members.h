// Walking an object value beside its schema: the parts of a block or of a nested
// attribute's object, in the order in which values of that type keep them.
//
// Private to this component. Values have no marks, and conform to the schema that they are walked
// with.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "schema/schema.h"
#include "value/value.h"

namespace tofu::schema {

// Functions shared by blocks and the objects of nested attributes. Refers to the schema it was made
// from.
struct Members {
  explicit Members(const Block& of) : attributes(of.attributes), blocks(of.blocks), block(&of) {}
  explicit Members(const NestedType& of) : attributes(of.attributes) {}

  std::span<const Attribute> attributes;
  std::span<const NestedBlock> blocks;
  const Block* block = nullptr;  // null: the object of a nested attribute

  // Calls `on(position, attribute, nested)` for each part by name; one of the two is null.
  template <class On>
  void each(On&& on) const {
    std::size_t position = 0;
    std::size_t b = 0;
    for (const Attribute& attribute : attributes) {
      for (; b < blocks.size() && blocks[b].name < attribute.name; ++b) {
        on(position++, nullptr, &blocks[b]);
      }
      // An attribute hides a block of the same name.
      if (b < blocks.size() && blocks[b].name == attribute.name) ++b;
      on(position++, &attribute, nullptr);
    }
    for (; b < blocks.size(); ++b) on(position++, nullptr, &blocks[b]);
  }
};

// The objects inside the value of a part, which a nesting arranges.
inline bool is_one_object(Nesting nesting) {
  return nesting == Nesting::Single || nesting == Nesting::Group;
}

// A known, unmarked list, set, map, tuple or object.
inline bool has_items(const value::Value& v) {
  return v.kind() >= value::Kind::List && v.kind() <= value::Kind::Object;
}
// A known, unmarked map or object.
inline bool has_keys(const value::Value& v) {
  return v.kind() == value::Kind::Map || v.kind() == value::Kind::Object;
}

// The part of an object at `position`: null in a null object, unknown in an unknown
// one. `type` is used where the object has no type that says what its parts are.
value::Value part_of(const value::Value& object, std::size_t position, value::Type type);

// An unknown object as an object of unknown parts; anything else as it is.
value::Value spread_out(const value::Value& object);

// The value of a missing nested block, and of a block without arguments.
value::Value empty_value(const NestedBlock& nested);
value::Value empty_value(const Block& block);

// The same value, apart from refinements.
bool same_unrefined(const value::Value& a, const value::Value& b);

// A container with other items: as many, and keys as they were. Its type follows from
// the items; those of a set may turn out to be equal.
value::Value with_items(const value::Value& like, std::vector<value::Value> items);

// A container, some of whose items are replaced. Nothing is copied before the first
// item that differs.
class Edited {
 public:
  // Outlived by `original`, a known container.
  explicit Edited(const value::Value& original) : original_(original) {}

  std::size_t position() const { return position_; }
  // The item at the next position; the original has one there.
  void add(value::Value item);
  // As many items as the original has were added.
  value::Value result() &&;

 private:
  const value::Value& original_;
  std::size_t position_ = 0;
  bool changed_ = false;
  std::vector<value::Value> items_;  // empty until changed_
};

}  // namespace tofu::schema
