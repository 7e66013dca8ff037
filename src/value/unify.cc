#include <algorithm>
#include <array>
#include <unordered_set>

#include "value/convert.h"
#include "value/convert_plan.h"
#include "value/convert_run.h"

namespace tofu::value {
namespace {

struct TypeHash {
  std::size_t operator()(Type type) const {
    return reinterpret_cast<std::uintptr_t>(type.node()) >> 4;
  }
};

// The different types among `types` in order of appearance. Repetitions never
// change which type is common to all, and lists of them are long.
std::vector<Type> distinct(std::span<const Type> types) {
  std::vector<Type> result;
  std::unordered_set<Type, TypeHash> seen;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (i > 0 && types[i] == types[i - 1]) continue;
    if (seen.insert(types[i]).second) result.push_back(types[i]);
  }
  return result;
}

class KindCounts {
 public:
  explicit KindCounts(std::span<const Type> types) {
    for (const Type type : types) ++counts_[static_cast<std::size_t>(type.kind())];
    total_ = types.size();
  }
  std::size_t of(TypeKind kind) const { return counts_[static_cast<std::size_t>(kind)]; }
  bool has(TypeKind kind) const { return of(kind) > 0; }
  // Whether there is a `kind`, and beside it nothing but `others` and `any`.
  bool only(TypeKind kind, TypeKind other) const {
    const std::size_t more = other == kind ? 0 : of(other);
    return has(kind) && of(kind) + more + of(TypeKind::Dynamic) == total_;
  }
  bool only(TypeKind kind) const { return only(kind, kind); }
  std::size_t primitives() const {
    return of(TypeKind::Bool) + of(TypeKind::Number) + of(TypeKind::String);
  }
  std::size_t total() const { return total_; }

 private:
  std::array<std::size_t, static_cast<std::size_t>(TypeKind::Capsule) + 1> counts_{};
  std::size_t total_ = 0;
};

// The result for structures beside `any`.
CommonType not_known_yet() { return {Type::dynamic(), true}; }

Type collection_of(TypeKind kind, Type element) {
  if (kind == TypeKind::Map) return Type::map(element);
  return kind == TypeKind::Set ? Type::set(element) : Type::list(element);
}

enum class General : std::uint8_t { First, Neither, Second };

General more_general(Type a, Type b);

template <class At>
General more_general_part(std::size_t size, At&& at) {
  bool first = false;
  bool second = false;
  for (std::size_t i = 0; i < size; ++i) {
    const auto [a, b] = at(i);
    const General part = more_general(a, b);
    first = first || part == General::First;
    second = second || part == General::Second;
  }
  if (first == second) return General::Neither;
  return first ? General::First : General::Second;
}

General more_general_object(Type a, Type b) {
  const auto ours = a.attributes();
  const auto theirs = b.attributes();
  const auto same_name = [](const ObjectAttribute& x, const ObjectAttribute& y) {
    return x.name == y.name;
  };
  if (!std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(), same_name)) {
    return General::Neither;
  }
  return more_general_part(ours.size(),
                           [&](std::size_t i) { return std::pair(ours[i].type, theirs[i].type); });
}

// How willingly a kind is chosen over another when both can hold the values:
// lists before tuples before sets, maps before objects.
int preference(TypeKind kind) {
  switch (kind) {
    case TypeKind::List:
    case TypeKind::Map: return 3;
    case TypeKind::Tuple:
    case TypeKind::Object: return 2;
    case TypeKind::Set: return 1;
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: return 0;
  }
  return 0;
}

bool is_sequence(TypeKind kind) {
  return kind == TypeKind::List || kind == TypeKind::Set || kind == TypeKind::Tuple;
}
bool is_mapping(TypeKind kind) { return kind == TypeKind::Map || kind == TypeKind::Object; }

// Which of two types should rather be the result. Only a guess from the outer
// shape: whether everything converts to it is checked afterwards.
General more_general(Type a, Type b) {
  if (a == b) return General::Neither;
  if (a.is_dynamic()) return General::Second;
  if (b.is_dynamic()) return General::First;
  if (a.is_primitive() && b.is_primitive()) {
    if (a == Type::string()) return General::First;
    return b == Type::string() ? General::Second : General::Neither;
  }
  if (a.kind() == b.kind()) {
    if (a.is_collection()) return more_general(a.element(), b.element());
    if (a.kind() == TypeKind::Object) return more_general_object(a, b);
    if (a.kind() != TypeKind::Tuple || a.elements().size() != b.elements().size()) {
      return General::Neither;
    }
    return more_general_part(a.elements().size(), [&](std::size_t i) {
      return std::pair(a.elements()[i], b.elements()[i]);
    });
  }
  if ((is_sequence(a.kind()) && is_sequence(b.kind())) ||
      (is_mapping(a.kind()) && is_mapping(b.kind()))) {
    return preference(a.kind()) > preference(b.kind()) ? General::First : General::Second;
  }
  return General::Neither;
}

// The types ordered so that a more general one comes before the others; equal
// ranks keep their order.
std::vector<Type> by_preference(std::span<const Type> types) {
  std::vector<std::vector<std::size_t>> less_general(types.size());
  std::vector<std::size_t> waiting_for(types.size(), 0);
  for (std::size_t i = 0; i < types.size(); ++i) {
    for (std::size_t j = i + 1; j < types.size(); ++j) {
      const General general = more_general(types[i], types[j]);
      if (general == General::Neither) continue;
      const auto [first, second] = general == General::First ? std::pair(i, j) : std::pair(j, i);
      less_general[first].push_back(second);
      ++waiting_for[second];
    }
  }
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < types.size(); ++i) {
    if (waiting_for[i] == 0) order.push_back(i);
  }
  std::vector<Type> result;
  for (std::size_t next = 0; next < order.size(); ++next) {
    result.push_back(types[order[next]]);
    std::vector<std::size_t>& below = less_general[order[next]];
    std::sort(below.begin(), below.end());
    for (const std::size_t i : below) {
      if (--waiting_for[i] == 0) order.push_back(i);
    }
  }
  return result;
}

}  // namespace

bool Planner::all_convert(std::span<const Type> types, Type to, Safety safety) {
  return std::all_of(types.begin(), types.end(),
                     [&](Type from) { return plan(from, to, safety) != nullptr; });
}

std::optional<CommonType> Planner::unify(std::span<const Type> all, Safety safety) {
  if (all.empty()) return std::nullopt;
  const std::vector<Type> types = distinct(all);
  if (types.size() == 1) return CommonType{types.front()};
  // Shallow types end the recursion.
  if (std::all_of(types.begin(), types.end(),
                  [](Type type) { return type.nesting() > kMaxTypeNesting; })) {
    return std::nullopt;
  }

  const KindCounts counts(types);
  if (counts.only(TypeKind::Map)) return unify_collections(TypeKind::Map, types, safety);
  if (counts.only(TypeKind::List)) return unify_collections(TypeKind::List, types, safety);
  if (counts.only(TypeKind::Set)) return unify_collections(TypeKind::Set, types, safety);
  if (counts.only(TypeKind::Object)) return unify_objects(types, safety);
  if (counts.only(TypeKind::Tuple)) return unify_tuples(types, safety);
  // Objects are often maps that were written down, tuples lists.
  if (counts.only(TypeKind::Map, TypeKind::Object)) {
    const auto map = unify_with_collections(TypeKind::Map, TypeKind::Object, types, safety);
    if (map) return map;
  } else if (counts.only(TypeKind::List, TypeKind::Tuple)) {
    const auto list = unify_with_collections(TypeKind::List, TypeKind::Tuple, types, safety);
    if (list) return list;
  } else if (counts.has(TypeKind::Object) && counts.has(TypeKind::Tuple)) {
    return std::nullopt;
  }
  const std::size_t dynamic = counts.of(TypeKind::Dynamic);
  if (counts.primitives() > 0 && counts.primitives() + dynamic < counts.total()) {
    // No primitive becomes a structure or the reverse, so only `any` is left.
    return dynamic > 0 ? std::optional(CommonType{Type::dynamic()}) : std::nullopt;
  }
  return unify_by_preference(types, safety);
}

std::optional<CommonType> Planner::unify_by_preference(std::span<const Type> types, Safety safety) {
  for (const Type wanted : by_preference(types)) {
    if (all_convert(types, wanted, safety)) return CommonType{wanted};
  }
  return std::nullopt;
}

std::optional<CommonType> Planner::unify_collections(TypeKind kind, std::span<const Type> types,
                                                     Safety safety) {
  std::vector<Type> elements;
  elements.reserve(types.size());
  for (const Type type : types) {
    if (type.is_dynamic()) return not_known_yet();
    elements.push_back(type.element());
  }
  const auto element = unify(elements, safety);
  if (!element) return std::nullopt;
  const Type result = collection_of(kind, element->type);
  if (!all_convert(types, result, safety)) return std::nullopt;
  return CommonType{result};
}

std::optional<CommonType> Planner::unify_objects(std::span<const Type> types, Safety safety) {
  if (std::any_of(types.begin(), types.end(), [](Type t) { return t.is_dynamic(); })) {
    return not_known_yet();
  }
  const auto first = types.front().attributes();
  for (const Type type : types.subspan(1)) {
    const auto names = type.attributes();
    const bool same = std::equal(
        first.begin(), first.end(), names.begin(), names.end(),
        [](const ObjectAttribute& a, const ObjectAttribute& b) { return a.name == b.name; });
    if (!same) return unify_as_collection(TypeKind::Map, types, safety);
  }

  std::vector<ObjectAttribute> attributes;
  attributes.reserve(first.size());
  std::vector<Type> across(types.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t t = 0; t < types.size(); ++t) across[t] = types[t].attributes()[i].type;
    const auto common = unify(across, safety);
    if (!common) return std::nullopt;
    attributes.push_back({first[i].name, common->type});
  }
  const Type result = Type::object(std::move(attributes));
  if (all_convert(types, result, safety)) return CommonType{result};
  return unify_as_collection(TypeKind::Map, types, safety);
}

std::optional<CommonType> Planner::unify_tuples(std::span<const Type> types, Safety safety) {
  if (std::any_of(types.begin(), types.end(), [](Type t) { return t.is_dynamic(); })) {
    return not_known_yet();
  }
  const std::size_t length = types.front().elements().size();
  for (const Type type : types.subspan(1)) {
    if (type.elements().size() != length) return unify_as_collection(TypeKind::List, types, safety);
  }

  std::vector<Type> elements;
  elements.reserve(length);
  std::vector<Type> across(types.size());
  for (std::size_t i = 0; i < length; ++i) {
    for (std::size_t t = 0; t < types.size(); ++t) across[t] = types[t].elements()[i];
    const auto common = unify(across, safety);
    if (!common) return std::nullopt;
    elements.push_back(common->type);
  }
  const Type result = Type::tuple(elements);
  if (all_convert(types, result, safety)) return CommonType{result};
  return unify_as_collection(TypeKind::List, types, safety);
}

// Objects as one map type, or tuples as one list type.
std::optional<CommonType> Planner::unify_as_collection(TypeKind kind,
                                                       std::span<const Type> structures,
                                                       Safety safety) {
  std::vector<Type> members;
  for (const Type type : structures) {
    if (kind == TypeKind::List) {
      members.insert(members.end(), type.elements().begin(), type.elements().end());
    } else {
      for (const ObjectAttribute& attribute : type.attributes()) members.push_back(attribute.type);
    }
  }
  const auto member = unify(members, safety);
  if (!member) return std::nullopt;
  const Type result = collection_of(kind, member->type);
  if (!all_convert(structures, result, safety)) return std::nullopt;
  return CommonType{result};
}

// Structures first become one collection type, which then has to agree with the
// collections beside them.
std::optional<CommonType> Planner::unify_with_collections(TypeKind kind, TypeKind structure,
                                                          std::span<const Type> types,
                                                          Safety safety) {
  std::vector<Type> structures;
  std::vector<Type> others;
  for (const Type type : types) {
    (type.kind() == structure ? structures : others).push_back(type);
  }
  const auto as_collection = unify_as_collection(kind, structures, safety);
  if (!as_collection) return std::nullopt;
  others.push_back(as_collection->type);
  const auto result = unify(others, safety);
  if (!result || result->type.kind() != kind) return std::nullopt;
  return result;
}

std::optional<Type> unify(std::span<const Type> types, Safety safety) {
  Planner planner;
  const auto common = planner.unify(types, safety);
  if (!common) return std::nullopt;
  return common->type;
}

std::optional<PathResult<Unified>> unify_values(std::span<const Value> values, Safety safety) {
  std::vector<Type> types;
  types.reserve(values.size());
  for (const Value& value : values) types.push_back(value.type());
  Planner planner;
  const auto common = planner.unify(types, safety);
  if (!common) return std::nullopt;

  Runner runner(planner);
  Unified result{common->type, {}};
  result.values.reserve(values.size());
  for (const Value& value : values) {
    if (common->values_become_unknown) {
      result.values.push_back(Value::unknown().with_marks(value.marks()));
      continue;
    }
    auto converted = runner.convert(value, common->type);
    if (!converted) return PathResult<Unified>(std::move(converted).error());
    result.values.push_back(std::move(converted).value());
  }
  return PathResult<Unified>(std::move(result));
}

}  // namespace tofu::value
