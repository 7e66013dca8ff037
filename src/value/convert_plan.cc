#include "value/convert_plan.h"

#include <algorithm>
#include <utility>

namespace tofu::value {
namespace {

// The step between two different primitive types, if there is one.
std::optional<Step> primitive_step(TypeKind from, TypeKind to, Safety safety) {
  if (to == TypeKind::String) {
    return from == TypeKind::Number ? Step::NumberToString : Step::BoolToString;
  }
  if (from != TypeKind::String || safety == Safety::SafeOnly) return std::nullopt;
  return to == TypeKind::Number ? Step::StringToNumber : Step::StringToBool;
}

std::vector<Type> attribute_types(Type object) {
  std::vector<Type> types;
  types.reserve(object.attributes().size());
  for (const ObjectAttribute& attribute : object.attributes()) types.push_back(attribute.type);
  return types;
}

bool keeps(const Plan* plan) { return plan->step == Step::Keep || plan->keeps_known; }

}  // namespace

std::size_t Planner::KeyHash::operator()(const Key& key) const {
  const auto from = reinterpret_cast<std::uintptr_t>(key.from);
  const auto to = reinterpret_cast<std::uintptr_t>(key.to);
  return ((from >> 4) * 0x9E3779B97F4A7C15u) ^ ((to >> 3) + static_cast<std::size_t>(key.safety));
}

Plan* Planner::plan(Type from, Type to, Safety safety) {
  if (from == to || to.is_dynamic()) return &keep_;
  if (from.nesting() > kMaxTypeNesting && to.nesting() > kMaxTypeNesting) return nullptr;
  const auto [place, is_new] = known_.try_emplace(Key{from.node(), to.node(), safety}, nullptr);
  if (!is_new) return place->second;

  auto made = std::make_unique<Plan>();
  made->safety = safety;
  made->from = from;
  made->to = to;
  if (!fill(*made)) return nullptr;
  made->to_plain = to.has_optional_attributes() ? to.without_optional_attributes() : to;
  Plan* result = made.get();
  plans_.push_back(std::move(made));
  // `place` may be gone: filling has planned the parts meanwhile.
  known_[Key{from.node(), to.node(), safety}] = result;
  return result;
}

bool Planner::fill(Plan& plan) {
  const TypeKind from = plan.from.kind();
  const TypeKind to = plan.to.kind();
  const bool unsafe = plan.safety == Safety::AllowUnsafe;

  if (from == TypeKind::Dynamic) {
    plan.step = Step::Late;
    return unsafe;
  }
  if (plan.from.is_primitive() && plan.to.is_primitive()) {
    const auto step = primitive_step(from, to, plan.safety);
    if (step) plan.step = *step;
    return step.has_value();
  }

  const bool from_sequence = from == TypeKind::List || from == TypeKind::Set;
  switch (to) {
    case TypeKind::Object:
      if (from == TypeKind::Object) return fill_object_to_object(plan);
      return from == TypeKind::Map && unsafe && fill_map_to_object(plan);
    case TypeKind::Tuple: return from == TypeKind::Tuple && fill_tuple_to_tuple(plan);
    case TypeKind::List:
      if (from_sequence) return fill_element(plan, Step::SequenceToList);
      return from == TypeKind::Tuple &&
             fill_structure_to_collection(plan, Step::TupleToList, plan.from.elements());
    case TypeKind::Set:
      // A list loses its order and its duplicates on becoming a set.
      if (from == TypeKind::List && !unsafe) return false;
      if (from_sequence) return fill_element(plan, Step::SequenceToSet);
      return from == TypeKind::Tuple &&
             fill_structure_to_collection(plan, Step::TupleToSet, plan.from.elements());
    case TypeKind::Map:
      if (from == TypeKind::Map) return fill_element(plan, Step::MapToMap);
      return from == TypeKind::Object &&
             fill_structure_to_collection(plan, Step::ObjectToMap, attribute_types(plan.from));
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: return false;
  }
  return false;
}

bool Planner::fill_object_to_object(Plan& plan) {
  plan.step = Step::ObjectToObject;
  const auto wanted = plan.to.attributes();
  plan.keeps_known = wanted.size() == plan.from.attributes().size();
  plan.parts.reserve(wanted.size());
  for (const ObjectAttribute& attribute : wanted) {
    const auto index = plan.from.attribute_index(attribute.name);
    if (!index) {
      if (!attribute.optional) return false;
      plan.keeps_known = false;
      plan.parts.push_back(nullptr);
      plan.sources.push_back(0);
      continue;
    }
    plan.sources.push_back(static_cast<std::uint32_t>(*index));
    Plan* part = this->plan(plan.from.attributes()[*index].type, attribute.type, plan.safety);
    if (part == nullptr) return false;
    plan.keeps_known = plan.keeps_known && keeps(part);
    plan.parts.push_back(part);
  }
  return true;
}

bool Planner::fill_tuple_to_tuple(Plan& plan) {
  plan.step = Step::TupleToTuple;
  const auto have = plan.from.elements();
  const auto wanted = plan.to.elements();
  if (have.size() != wanted.size()) return false;
  plan.keeps_known = true;
  plan.parts.reserve(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Plan* part = this->plan(have[i], wanted[i], plan.safety);
    if (part == nullptr) return false;
    plan.keeps_known = plan.keeps_known && keeps(part);
    plan.parts.push_back(part);
  }
  return true;
}

bool Planner::fill_element(Plan& plan, Step step) {
  plan.step = step;
  plan.element = this->plan(plan.from.element(), plan.to.element(), plan.safety);
  if (plan.element == nullptr) return false;
  // An element type with `any` deeper inside would keep elements too, but an
  // empty collection takes that type as it stands.
  plan.keeps_known =
      plan.from.kind() == plan.to.kind() &&
      (plan.element->step == Step::Keep || plan.from == plan.to.without_optional_attributes());
  return true;
}

bool Planner::fill_structure_to_collection(Plan& plan, Step step, std::span<const Type> members) {
  plan.step = step;
  if (members.empty()) return true;

  Type element = plan.to.element();
  if (element.is_dynamic()) {
    const auto common = unify(members, plan.safety);
    if (!common) return false;
    element = common->type;
    // A list or set of `any` can only hold members that all are `any`.
    if (element.is_dynamic() && step != Step::ObjectToMap &&
        !std::all_of(members.begin(), members.end(), [](Type t) { return t.is_dynamic(); })) {
      return false;
    }
  }
  return fill_parts(plan, members, element);
}

bool Planner::fill_parts(Plan& plan, std::span<const Type> members, Type element) {
  plan.member = element;
  plan.parts.reserve(members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    // Long tuples mostly repeat one type: do not look it up again.
    Plan* part = i > 0 && members[i] == members[i - 1]
                     ? plan.parts.back()
                     : this->plan(members[i], element, plan.safety);
    if (part == nullptr) return false;
    plan.parts.push_back(part);
  }
  return true;
}

bool Planner::fill_map_to_object(Plan& plan) {
  plan.step = Step::MapToObject;
  const Type element = plan.from.element();
  plan.parts.reserve(plan.to.attributes().size());
  for (const ObjectAttribute& attribute : plan.to.attributes()) {
    Plan* part = this->plan(element, attribute.type, plan.safety);
    // A map that happens to lack an optional key may still do.
    if (part == nullptr && !attribute.optional) return false;
    plan.parts.push_back(part);
  }
  return true;
}

namespace {

Type resolve_object(Planner& planner, Type from, Type to) {
  std::vector<ObjectAttribute> attributes;
  if (from.kind() == TypeKind::Map) {
    for (const ObjectAttribute& wanted : to.attributes()) {
      attributes.push_back({wanted.name, resolve_dynamic(planner, from.element(), wanted.type)});
    }
  } else if (from.kind() == TypeKind::Object) {
    for (const ObjectAttribute& wanted : to.attributes()) {
      const auto index = from.attribute_index(wanted.name);
      attributes.push_back(
          {wanted.name, index
                            ? resolve_dynamic(planner, from.attributes()[*index].type, wanted.type)
                            : wanted.type});
    }
  }
  // Anything else comes from a map whose element cannot become this optional
  // attribute; the result there is the empty object type.
  return Type::object(std::move(attributes));
}

// The element type that a collection gets from `from`, itself a collection of
// a fitting kind or the structure that can become one.
std::optional<Type> resolve_element(Planner& planner, Type from, Type to_element,
                                    TypeKind structure) {
  std::optional<CommonType> common;
  if (from.is_collection()) {
    if ((from.kind() == TypeKind::Map) != (structure == TypeKind::Object)) return std::nullopt;
    common = CommonType{from.element()};
  } else if (from.kind() != structure) {
    return std::nullopt;
  } else if (structure == TypeKind::Tuple) {
    common = planner.unify(from.elements(), Safety::AllowUnsafe);
  } else {
    common = planner.unify(attribute_types(from), Safety::AllowUnsafe);
  }
  return common ? resolve_dynamic(planner, common->type, to_element) : to_element;
}

}  // namespace

Type resolve_dynamic(Planner& planner, Type from, Type to) {
  if (from == to || from.is_dynamic()) return to;
  switch (to.kind()) {
    case TypeKind::Dynamic: return from;
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: return to;
    case TypeKind::List: {
      const auto element = resolve_element(planner, from, to.element(), TypeKind::Tuple);
      return element ? Type::list(*element) : to;
    }
    case TypeKind::Set: {
      const auto element = resolve_element(planner, from, to.element(), TypeKind::Tuple);
      return element ? Type::set(*element) : to;
    }
    case TypeKind::Map: {
      const auto element = resolve_element(planner, from, to.element(), TypeKind::Object);
      return element ? Type::map(*element) : to;
    }
    case TypeKind::Tuple: {
      if (from.kind() != TypeKind::Tuple || from.elements().size() != to.elements().size()) {
        return to;
      }
      std::vector<Type> elements;
      for (std::size_t i = 0; i < to.elements().size(); ++i) {
        elements.push_back(resolve_dynamic(planner, from.elements()[i], to.elements()[i]));
      }
      return Type::tuple(elements);
    }
    case TypeKind::Object: return resolve_object(planner, from, to);
  }
  return to;
}

}  // namespace tofu::value
