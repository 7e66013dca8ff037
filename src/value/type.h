// Types of the language's values: primitives, collections, structures, `any`.
//
// Types are hash-consed in one process-wide, append-only table and never freed,
// so a Type is one pointer, equal types are the same pointer, and a type can be
// held anywhere without thought. An object type owns its attribute names; the
// values of that type store only values.
//
// Threads: any. Making a type takes a lock for a moment, reading one takes none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value/type_node.h"

namespace tofu::value {

enum class TypeKind : std::uint8_t {
  Dynamic,  // `any`: not decided yet
  Bool,
  Number,
  String,
  List,
  Set,
  Map,
  Tuple,
  Object,
  Capsule,  // wraps a thing of ours, such as the result of the console's type()
};

// Large: makers, tests and parts of ten kinds of types.
class Type {
 public:
  Type() : node_(&kDynamicType) {}  // dynamic()

  static Type dynamic() { return Type(&kDynamicType); }
  static Type boolean() { return Type(&kBoolType); }
  static Type number() { return Type(&kNumberType); }
  static Type string() { return Type(&kStringType); }
  static Type list(Type element);
  static Type set(Type element);
  static Type map(Type element);
  static Type tuple(std::span<const Type> elements);
  // Normalizes the names and sorts by them. A name given twice is a broken promise.
  static Type object(std::vector<ObjectAttribute> attributes);
  static Type capsule(std::string_view name);  // the same name is the same type

  TypeKind kind() const { return node_->kind; }
  bool is_dynamic() const { return kind() == TypeKind::Dynamic; }
  bool is_primitive() const { return kind() >= TypeKind::Bool && kind() <= TypeKind::String; }
  bool is_collection() const { return kind() >= TypeKind::List && kind() <= TypeKind::Map; }
  bool is_structural() const { return kind() == TypeKind::Tuple || kind() == TypeKind::Object; }

  Type element() const;                                 // of a list, set or map
  std::span<const Type> elements() const;               // of a tuple
  std::span<const ObjectAttribute> attributes() const;  // of an object, sorted by name
  // Position of `name` in attributes(), which is also its position in an object value.
  std::optional<std::size_t> attribute_index(std::string_view name) const;
  std::string_view capsule_name() const;

  // Whether `any` (or an optional attribute) occurs anywhere inside. Cached.
  bool has_dynamic() const { return node_->has_dynamic; }
  bool has_optional_attributes() const { return node_->has_optional; }
  // How many types lie inside one another here: 0 for string, 2 for a list of lists.
  std::uint32_t nesting() const { return node_->nesting; }
  // How many types it is made of, itself included, each as often as it occurs; kMaxWeight if there
  // are more. Types that share their parts can be larger than any text about them.
  std::uint32_t weight() const { return node_->weight; }
  // The same type with every attribute required, at every depth.
  Type without_optional_attributes() const;

  std::uint64_t hash() const { return node_->hash; }
  bool operator==(const Type&) const = default;

  const TypeNode* node() const { return node_; }                      // for `value` itself
  static Type from_node(const TypeNode* node) { return Type(node); }  // likewise

 private:
  explicit constexpr Type(const TypeNode* node) : node_(node) {}
  const TypeNode* node_;
};

struct ObjectAttribute {
  std::string name;
  Type type;
  bool optional = false;  // only in type constraints
  bool operator==(const ObjectAttribute&) const = default;
};

// "list of string", "object", "tuple": how a message names a type.
std::string friendly_name(Type type);
// The same for an expected type: "list of any single type".
std::string friendly_constraint_name(Type type);

// Conversions and codecs follow a type by recursion and refuse deeper ones.
inline constexpr std::uint32_t kMaxTypeNesting = 500;

// Whether a value of type `given` satisfies the constraint `want`: the same
// type, except that `any` in `want` admits everything. No conversion.
bool conforms(Type given, Type want);

}  // namespace tofu::value
