// How nodes lie in memory, and the accessors of Value that must be fast.
//
// Included by value/value.h at its end; never include it directly. Trailing arrays begin right
// behind their struct. Nothing outside `value` may use the structs.
#pragma once

#include "value/value.h"

namespace tofu::value {

struct RefinedNode : TypedNode {
  RefinedNode(const TypeNode* node_type, Refinements what, std::uint8_t more_flags)
      : TypedNode(Kind::Unknown, kContainsUnknown | kRefined | more_flags, 0, node_type),
        refinements(std::move(what)) {}
  Refinements refinements;
};

struct StringNode : Node {
  constexpr StringNode(std::uint32_t length, std::uint8_t node_flags)
      : Node(Kind::String, node_flags, length) {}
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  const char* bytes() const { return reinterpret_cast<const char*>(this + 1); }
};

// A list, set, tuple, object or map. `size` items follow; a map has its keys
// before them.
struct ItemsNode : TypedNode {
  using TypedNode::TypedNode;
  std::uint32_t weight = 1;  // see Plain::weight()
  Value* storage() { return reinterpret_cast<Value*>(this + 1); }
  const Value* storage() const { return reinterpret_cast<const Value*>(this + 1); }
  const Value* items() const { return storage() + (kind == Kind::Map ? size : 0); }
};

// A set of non-primitive elements finds them by hash. The table is made when it
// is first needed, by whichever thread comes first.
struct SetIndex;
struct SetNode : ItemsNode {
  using ItemsNode::ItemsNode;
  mutable std::atomic<SetIndex*> index{nullptr};
  // The items lie behind this bigger header, so storage() is hidden here.
  Value* storage() { return reinterpret_cast<Value*>(this + 1); }
  const Value* storage() const { return reinterpret_cast<const Value*>(this + 1); }
};

struct MarkedNode : Node {
  MarkedNode(Value what, Marks node_marks, std::uint8_t node_flags)
      : Node(Kind::Marked, node_flags, 0), inner(std::move(what)), marks(node_marks) {}
  Value inner;  // never marked itself
  Marks marks;  // never empty
};

struct CapsuleNode : TypedNode {
  CapsuleNode(const TypeNode* node_type, std::shared_ptr<const void> what)
      : TypedNode(Kind::Capsule, 0, 0, node_type), thing(std::move(what)) {}
  std::shared_ptr<const void> thing;  // shared: outlives its maker
};

extern const TypedNode kTrueNode;
extern const TypedNode kFalseNode;

inline const TypeEntry* entry_of(Type type) { return static_cast<const TypeEntry*>(type.node()); }

// Conversion between handles and nodes, for this component.
struct ValueRep {
  static Value adopt(const Node* node) { return Value(bits_of(node), nullptr); }  // takes the count
  static Plain adopt_plain(const Node* node) { return Plain(bits_of(node), nullptr); }
  // A value as it lies in memory: a Plain that may be a marked node.
  static const Plain& raw(const Value& v) { return v.plain_; }
  static std::uintptr_t bits(const Plain& v) { return v.bits_; }
  static std::uintptr_t bits(const Value& v) { return bits(raw(v)); }
  static std::uintptr_t take(Value& v) { return std::exchange(v.plain_.bits_, kMovedFrom); }
  static bool is_node(const Plain& v) { return !is_small(v.bits_); }
  static bool is_node(const Value& v) { return is_node(raw(v)); }
  static Node* node(const Plain& v) { return node_of(v.bits_); }
  static Node* node(const Value& v) { return node(raw(v)); }
  static std::uint8_t flags(const Plain& v) { return is_small(v.bits_) ? 0 : node(v)->flags; }
  static std::uint8_t flags(const Value& v) { return flags(raw(v)); }
  template <class N>
  static const N& as(const Plain& v) {
    return static_cast<const N&>(*node_of(v.bits_));
  }
  template <class N>
  static const N& as(const Value& v) {
    return as<N>(raw(v));
  }

  // A list, map, tuple or object of this type from settled parts; a map's keys
  // come first. A set needs more than that: see value_set.cc.
  static Plain make_items(Kind kind, Type type, std::span<Value> keys, std::span<Value> items);
  // A set of elements that are unmarked, unique and in canonical order.
  static Plain make_set(Type type, std::span<Value> items);
  // The same container with other items of the same types.
  static Plain with_items(const Plain& like, std::span<Value> items);
};

// Makes the items fit an element type: nulls and unknowns of type `any` take it
// on; an element type `any` gives way to what the items have. Returns the
// element type.
Type settle_items(Type element, std::span<Value> items);

inline Value::Value() : plain_(bits_of(&kDynamicType.null), nullptr) {}
inline Value Value::null(Type type) { return ValueRep::adopt(&entry_of(type)->null); }
inline Value Value::unknown(Type type) { return ValueRep::adopt(&entry_of(type)->unknown); }
inline Value Value::boolean(bool truth) {
  return ValueRep::adopt(truth ? &kTrueNode : &kFalseNode);
}

inline Kind Plain::kind() const { return is_small(bits_) ? Kind::Number : node()->kind; }

inline Type Plain::type() const {
  switch (kind()) {
    case Kind::Number: return Type::number();
    case Kind::String: return Type::string();
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  return Type::from_node(ValueRep::as<TypedNode>(*this).type);
}

inline const Plain& Value::unmarked() const& {
  return is_marked() ? ValueRep::raw(ValueRep::as<MarkedNode>(plain_).inner) : plain_;
}
inline const Plain& Value::plain() const& {
  TOFU_CHECK(!is_marked(), "only a value without marks is read as it is");
  return plain_;
}
inline Plain Value::unmarked() && {
  return is_marked() ? std::as_const(*this).unmarked() : std::move(plain_);
}
inline Plain Value::plain() && {
  TOFU_CHECK(!is_marked(), "only a value without marks is read as it is");
  return std::move(plain_);
}
inline Type Value::type() const { return unmarked().type(); }

inline bool Plain::wholly_known() const {
  return is_small(bits_) || (node()->flags & kContainsUnknown) == 0;
}
inline bool Plain::contains_marks() const {
  return !is_small(bits_) && (node()->flags & kContainsMarked) != 0;
}

inline std::uint32_t Value::weight() const { return unmarked().weight(); }
inline std::uint32_t Plain::weight() const {
  if (is_small(bits_)) return 1;
  switch (node()->kind) {
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object: return ValueRep::as<ItemsNode>(*this).weight;
    case Kind::Null:
    case Kind::Unknown: return ValueRep::as<TypedNode>(*this).type->weight;
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule:
    case Kind::Marked: break;
  }
  return 1;
}

inline bool Value::is_only_reference() const {
  if (!ValueRep::is_node(*this)) return false;
  const Node* node = ValueRep::node(*this);
  if ((node->flags & kImmortal) != 0 || node->refs.load(std::memory_order_relaxed) != 1) {
    return false;
  }
  return !is_marked() || ValueRep::as<MarkedNode>(plain_).inner.is_only_reference();
}

inline bool Plain::as_bool() const {
  TOFU_CHECK(kind() == Kind::Bool, "only a known bool is read as one");
  return (node()->flags & kTruth) != 0;
}

inline std::string_view Plain::as_string() const {
  TOFU_CHECK(kind() == Kind::String, "only a known string is read as one");
  const auto& string = ValueRep::as<StringNode>(*this);
  return {string.bytes(), string.size};
}

inline std::span<const Value> Plain::items() const {
  const Kind is = kind();
  TOFU_CHECK(is >= Kind::List && is <= Kind::Object, "only collections and structures have items");
  if (is == Kind::Set) {
    const auto& set = ValueRep::as<SetNode>(*this);
    return {set.storage(), set.size};
  }
  const auto& node = ValueRep::as<ItemsNode>(*this);
  return {node.items(), node.size};
}

inline std::size_t Plain::size() const { return items().size(); }

inline std::span<const Value> Plain::map_keys() const {
  TOFU_CHECK(kind() == Kind::Map, "only maps have keys");
  const auto& node = ValueRep::as<ItemsNode>(*this);
  return {node.storage(), node.size};
}

}  // namespace tofu::value
