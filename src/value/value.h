// Values of the language: immutable, shared, one pointer each.
//
// A Value is a handle to a counted node that never changes after it is made. Small whole numbers
// live in the handle, and nulls, unknowns and booleans are uncounted, so copying is cheap. Frequent
// queries (is anything inside unknown? marked? what is the hash?) are computed when a value is
// made, or cached in its node.
//
// Whether a value is marked is a matter of types. A Value may be marked; a Plain is not, and only a
// Plain has contents to read (as_string(), items() and so on). unmarked() looks through the marks,
// plain() is for values that cannot have any; both cost nothing, because a Value without marks is
// held as a Plain. The contents of a Plain may be marked again: its items are Values. is_null(),
// type() and the like answer for the value under the marks. A set never holds marked elements; its
// marks are moved to the set itself.
//
// Threads: a Value may be copied and read from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "value/marks.h"
#include "value/node.h"
#include "value/number.h"
#include "value/refinement.h"
#include "value/type.h"

namespace tofu::value {

struct Attr;
struct MapEntry;
class Value;

// A value that is known to carry no marks of its own.
// Large: tests and parts of every kind of value.
class Plain {
 public:
  Plain(const Plain& other) : bits_(other.bits_) { retain(bits_); }
  Plain(Plain&& other) noexcept : bits_(std::exchange(other.bits_, kMovedFrom)) {}
  Plain& operator=(const Plain& other) {
    retain(other.bits_);
    release(std::exchange(bits_, other.bits_));
    return *this;
  }
  Plain& operator=(Plain&& other) noexcept {
    std::swap(bits_, other.bits_);
    return *this;
  }
  ~Plain() { release(bits_); }

  Kind kind() const;  // never Marked
  Type type() const;
  bool is_null() const { return kind() == Kind::Null; }
  bool is_unknown() const { return kind() == Kind::Unknown; }
  bool is_known() const { return !is_unknown(); }

  // About the whole value, at every depth; constant time.
  bool wholly_known() const;
  bool contains_marks() const;
  // How many values it is made of, itself included, each as often as it occurs; kMaxWeight if there
  // are more. Of a null or unknown its type counts. Values that share their parts can be larger
  // than every memory once they are written out.
  std::uint32_t weight() const;

  bool as_bool() const;
  Number as_number() const;
  std::string_view as_string() const;  // valid while a handle holds the node

  // Items of a list, set or tuple, values of a map in key order, values of an
  // object in the order of type().attributes().
  std::span<const Value> items() const;
  std::size_t size() const;
  std::span<const Value> map_keys() const;        // strings in byte order, matching items()
  const Value* find(std::string_view key) const;  // in a map or object; null if absent
  // Whether a set holds this wholly known, unmarked item; O(log n) or better.
  // Items that contain unknowns equal nothing.
  bool set_contains(const Value& item) const;
  const std::shared_ptr<const void>& as_capsule() const;

  const Refinements& refinements() const;  // of an unknown; empty ones if it has none
  // This unknown narrowed further, or the one known value that is left. A known
  // value comes back as it is. Contradictions are the caller's broken promise.
  Plain refined(const Refinements& more) const;
  Plain refined_not_null() const;

  Value with_marks(Marks more) const;
  Plain deep_unmarked() const;  // without the marks of inner values

  std::uint64_t hash() const;  // agrees with raw_equal; cached
  // Whether both are one node or one small number: a quick yes, never a sure no.
  bool is_same(const Plain& other) const { return bits_ == other.bits_; }

 private:
  friend class Value;
  friend struct ValueRep;
  const Node* node() const { return node_of(bits_); }
  explicit Plain(std::uintptr_t bits, std::nullptr_t) : bits_(bits) {}
  std::uintptr_t bits_;  // tagged: a small number or a Node; see value/node.h
};

// Large: makers, tests and parts of every kind of value.
class Value {
 public:
  Value();  // null of type `any`

  static Value null(Type type = Type::dynamic());
  static Value unknown(Type type = Type::dynamic());
  static Value boolean(bool truth);
  static Value number(Number number);
  static Value integer(std::int64_t whole) { return number(Number(whole)); }
  // Normalizes to NFC, as every string of the language is. Bytes that are no
  // valid UTF-8 stay as they are.
  static Value string(std::string_view text);

  // Every item has exactly the element type; nulls and unknowns of type `any`
  // take it on. If `element` is `any` and an item's type is not, that becomes
  // the element type. Marks of items stay with the items.
  static Value list(Type element, std::vector<Value> items);
  // Drops duplicates, orders canonically, gathers the items' marks on the set.
  static Value set(Type element, std::vector<Value> items);
  // A key given twice: the last wins.
  static Value map(Type element, std::vector<MapEntry> entries);
  // The same from parallel lists; `keys` are known, unmarked strings.
  static Value map(Type element, std::vector<Value> keys, std::vector<Value> items);
  static Value tuple(std::vector<Value> items);
  // A name given twice: the last wins.
  static Value object(std::vector<Attr> attributes);
  // `items` in the order of type.attributes(); the types must agree, as in a list.
  static Value object(Type type, std::vector<Value> items);
  static Value capsule(Type type, std::shared_ptr<const void> thing);  // shared: outlives its maker

  Value(Plain plain) : plain_(std::move(plain)) {}

  Kind kind() const { return plain_.kind(); }
  bool is_marked() const { return kind() == Kind::Marked; }
  Marks marks() const;  // of this value itself, not of inner values

  // The value under the marks; valid as long as this one is neither changed nor gone.
  const Plain& unmarked() const&;
  Plain unmarked() &&;
  // The same for a value that has no marks: a marked one is the caller's broken promise.
  const Plain& plain() const&;
  Plain plain() &&;

  // About the value under the marks.
  Type type() const;
  bool is_null() const { return unmarked().is_null(); }
  bool is_unknown() const { return unmarked().is_unknown(); }
  bool is_known() const { return !is_unknown(); }

  // About the whole value, at every depth; constant time.
  bool wholly_known() const { return plain_.wholly_known(); }
  bool contains_marks() const { return plain_.contains_marks(); }
  bool contains_sensitive() const;  // may walk; constant time when nothing is marked
  std::uint32_t weight() const;
  // Whether it was just made: no other handle has it, and it is not one of the shared constants.
  bool is_only_reference() const;

  // As of a Plain; the marks stay.
  Value refined(const Refinements& more) const;
  Value refined_not_null() const;

  Value with_marks(Marks more) const;
  Marks deep_marks() const;  // union of the marks at every depth
  Plain deep_unmarked() const;

  std::uint64_t hash() const { return plain_.hash(); }  // agrees with raw_equal; cached
  bool is_same(const Value& other) const { return plain_.is_same(other.plain_); }

 private:
  friend struct ValueRep;
  explicit Value(std::uintptr_t bits, std::nullptr_t) : plain_(bits, nullptr) {}
  Plain plain_;  // given out only when it is one; else the node of a marked value
};

struct Attr {
  std::string name;
  Value value;
};

struct MapEntry {
  std::string key;
  Value value;
};

// The very same value: type, nullness, unknownness and its refinements, marks.
// Numbers by their own ==.
bool raw_equal(const Value& a, const Value& b);

// The order in which a set of values of one type keeps its elements: numbers
// and strings naturally, false before true, nulls last, everything else by the
// bytes of a text that stands for it, as OpenTofu has it. Negative, 0, positive.
int canonical_compare(const Value& a, const Value& b);

// Calls `on(key, item)` for each element in order: key is a number for lists
// and tuples, a string for maps and objects, the item itself for sets.
template <class On>
void for_each_element(const Plain& collection, On&& on) {
  const auto items = collection.items();
  switch (collection.kind()) {
    case Kind::List:
    case Kind::Tuple:
      for (std::size_t i = 0; i < items.size(); ++i) {
        on(Value::integer(static_cast<std::int64_t>(i)), items[i]);
      }
      return;
    case Kind::Set:
      for (const Value& item : items) on(item, item);
      return;
    case Kind::Map: {
      const auto keys = collection.map_keys();
      for (std::size_t i = 0; i < items.size(); ++i) on(keys[i], items[i]);
      return;
    }
    case Kind::Object: {
      const auto attributes = collection.type().attributes();
      for (std::size_t i = 0; i < items.size(); ++i)
        on(Value::string(attributes[i].name), items[i]);
      return;
    }
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  base::broken_promise("only a known collection has elements");
}

}  // namespace tofu::value

#include "value/layout.h"  // what the inline accessors need
