// How values of one type become another, worked out once per pair of types.
//
// Everything that depends on types alone is decided while planning, so running
// a plan over a list of a million elements does no type work per element. A
// plan belongs to its planner and lives as long; one conversion makes one
// planner, so nothing here is shared between threads.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "value/convert.h"
#include "value/type.h"

namespace tofu::value {

enum class Step : std::uint8_t {
  Keep,  // equal types, or anything goes
  Late,  // the source type is `any`: decided when a value comes
  NumberToString,
  BoolToString,
  StringToNumber,
  StringToBool,
  ObjectToObject,
  TupleToTuple,
  SequenceToList,  // from a list or a set
  SequenceToSet,
  MapToMap,
  TupleToList,
  TupleToSet,
  ObjectToMap,
  MapToObject,
};

struct Plan {
  Step step = Step::Keep;
  Safety safety = Safety::AllowUnsafe;
  // A known value without marks inside comes back as it is.
  bool keeps_known = false;
  Type from;
  Type to;
  Type to_plain;  // `to` with every attribute required
  Plan* element = nullptr;
  Type member;  // what a structure's parts become on the way to a collection
  // Of a tuple's or object's parts. For a target object in the order of its
  // attributes, where null means "absent in the source, or not convertible".
  std::vector<Plan*> parts;
  std::vector<std::uint32_t> sources;  // object to object: position in the source
  // Type of nulls and unknowns made by this plan; filled on first use.
  std::optional<Type> resolved;
};

// The result of unify. Where `any` meets a structure the result is not known yet, so every value
// becomes an unknown of type `any`.
struct CommonType {
  Type type;
  bool values_become_unknown = false;
};

class Planner {
 public:
  // Null if there is no conversion.
  Plan* plan(Type from, Type to, Safety safety);
  std::optional<CommonType> unify(std::span<const Type> types, Safety safety);

 private:
  struct Key {
    const TypeNode* from;
    const TypeNode* to;
    Safety safety;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };

  bool fill(Plan& plan);
  bool fill_object_to_object(Plan& plan);
  bool fill_tuple_to_tuple(Plan& plan);
  bool fill_element(Plan& plan, Step step);
  bool fill_structure_to_collection(Plan& plan, Step step, std::span<const Type> members);
  bool fill_map_to_object(Plan& plan);
  bool fill_parts(Plan& plan, std::span<const Type> members, Type element);

  // Parts of unification; see unify.cc.
  std::optional<CommonType> unify_collections(TypeKind kind, std::span<const Type> types,
                                              Safety safety);
  std::optional<CommonType> unify_objects(std::span<const Type> types, Safety safety);
  std::optional<CommonType> unify_tuples(std::span<const Type> types, Safety safety);
  std::optional<CommonType> unify_as_collection(TypeKind kind, std::span<const Type> structures,
                                                Safety safety);
  std::optional<CommonType> unify_with_collections(TypeKind kind, TypeKind structure,
                                                   std::span<const Type> types, Safety safety);
  std::optional<CommonType> unify_by_preference(std::span<const Type> types, Safety safety);
  bool all_convert(std::span<const Type> types, Type to, Safety safety);

  Plan keep_;
  std::vector<std::unique_ptr<Plan>> plans_;
  std::unordered_map<Key, Plan*, KeyHash> known_;
};

// `to` with each `any` replaced by what stands there in `from`; `to` has no
// optional attributes.
Type resolve_dynamic(Planner& planner, Type from, Type to);

}  // namespace tofu::value
