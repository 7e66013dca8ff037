// The node behind a Type: one entry of the process-wide type table.
//
// Included by value/type.h; never include it directly. An entry carries the immortal null and
// unknown of its type, so that making those costs nothing. Nothing outside `value` may use the
// structs.
#pragma once

#include <atomic>
#include <cstdint>

#include "value/node.h"

namespace tofu::value {

enum class TypeKind : std::uint8_t;
struct ObjectAttribute;
struct RefinedNode;
class Type;

struct TypeNode {
  TypeKind kind;
  bool has_dynamic = false;
  bool has_optional = false;
  std::uint32_t count = 0;  // elements of a tuple, attributes of an object, bytes of a name
  std::uint64_t hash = 0;
  const Type* elements = nullptr;  // one for a collection
  const ObjectAttribute* attributes = nullptr;
  const char* name = nullptr;  // of a capsule
  std::uint32_t nesting = 0;
  std::uint32_t weight = 1;  // it and all types in it, each as often as it occurs
};

// A node that knows its type and nothing else: nulls, plain unknowns, booleans.
struct TypedNode : Node {
  constexpr TypedNode(Kind node_kind, std::uint8_t node_flags, std::uint32_t node_size,
                      const TypeNode* node_type)
      : Node(node_kind, node_flags, node_size), type(node_type) {}
  const TypeNode* type;
};

struct TypeEntry : TypeNode {
  constexpr explicit TypeEntry(const TypeNode& node)
      : TypeNode(node),
        null(Kind::Null, kImmortal, 0, this),
        unknown(Kind::Unknown, kImmortal | kContainsUnknown, 0, this) {}
  TypeEntry(const TypeEntry&) = delete;
  TypeEntry& operator=(const TypeEntry&) = delete;

  TypedNode null;
  TypedNode unknown;
  // Types made of this one, found without a lock once they exist.
  mutable std::atomic<const TypeEntry*> list{nullptr};
  mutable std::atomic<const TypeEntry*> set{nullptr};
  mutable std::atomic<const TypeEntry*> map{nullptr};
  mutable std::atomic<const TypeEntry*> required{nullptr};  // without optional attributes
  // The unknown that is not null: what most operators answer about unknowns.
  mutable std::atomic<const RefinedNode*> not_null{nullptr};
};

extern const TypeEntry kDynamicType;
extern const TypeEntry kBoolType;
extern const TypeEntry kNumberType;
extern const TypeEntry kStringType;

}  // namespace tofu::value
