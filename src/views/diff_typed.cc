// Values of a type: every kind of type compares in its own way.
#include <utility>

#include "base/check.h"
#include "views/diff_place.h"

namespace tofu::views {

namespace {

using plans::Action;
using value::Type;
using value::TypeKind;

Diff diff_scalar(const DiffPlace& place, Type type) {
  const DiffKind kind = type == Type::string() ? DiffKind::Text : DiffKind::Scalar;
  Diff out = diff_of(place, kind, place.action());
  out.before = place.before;
  out.after = place.after;
  return out;
}

Diff diff_object(const DiffPlace& place, Type type) {
  Diff out = diff_of(place, DiffKind::Object, place.outer_action());
  for (const auto& attribute : type.attributes()) {
    DiffPlace part = place.at(attribute.name).if_relevant();
    part.before_given = part.after_given = false;
    Diff diff = diff_typed(part, attribute.type);
    // A value that is null on both sides is not even counted as unchanged.
    if (diff.action == Action::NoOp && part.is_null()) continue;
    out.keys.push_back(attribute.name);
    out.action = joined(out.action, diff.action);
    out.parts.push_back(std::move(diff));
  }
  return out;
}

Diff diff_map(const DiffPlace& place, Type element) {
  Diff out = diff_of(place, DiffKind::Map, place.outer_action());
  for (const std::string_view key : all_keys(place)) {
    out.keys.push_back(key);
    out.parts.push_back(diff_typed(place.at(key).if_relevant(), element));
    out.action = joined(out.action, out.parts.back().action);
  }
  return out;
}

Diff diff_list(const DiffPlace& place, Type element) {
  Diff out = diff_of(place, DiffKind::List, place.outer_action());
  const bool objects = element.kind() == TypeKind::Object;
  for_each_list_element(
      place, [&](const PlainValue&, const PlainValue&) { return objects; },
      [&](DiffPlace part) {
        // Positions before and after differ, so a path to one of them says little:
        // of a list that matters, all elements matter.
        part.relevant = PathFilter::all();
        out.parts.push_back(diff_typed(part, element));
        out.action = joined(out.action, out.parts.back().action);
      });
  return out;
}

Diff diff_tuple(const DiffPlace& place, Type type) {
  Diff out = diff_of(place, DiffKind::List, place.outer_action());
  for (std::size_t i = 0; i < type.elements().size(); ++i) {
    out.parts.push_back(diff_typed(place.at(i, i).if_relevant(), type.elements()[i]));
    out.action = joined(out.action, out.parts.back().action);
  }
  return out;
}

Diff diff_set(const DiffPlace& place, Type element) {
  Diff out = diff_of(place, DiffKind::Set, place.outer_action());
  for_each_set_element(place, [&](const DiffPlace& part) {
    out.parts.push_back(diff_typed(part, element));
    out.action = joined(out.action, out.parts.back().action);
  });
  return out;
}

}  // namespace

Diff diff_typed(const DiffPlace& place, Type type) {
  const auto again = [&](const DiffPlace& inner) { return diff_typed(inner, type); };
  if (auto covered = cover_sensitive(place, DiffKind::Sensitive, again)) return std::move(*covered);
  if (auto covered = cover_unknown(place, nullptr, again)) return std::move(*covered);
  switch (type.kind()) {
    case TypeKind::Dynamic:
    case TypeKind::Capsule: return diff_dynamic(place);
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String: return diff_scalar(place, type);
    case TypeKind::Object: return diff_object(place, type);
    case TypeKind::Map: return diff_map(place, type.element());
    case TypeKind::List: return diff_list(place, type.element());
    case TypeKind::Tuple: return diff_tuple(place, type);
    case TypeKind::Set: return diff_set(place, type.element());
  }
  base::broken_promise("a type out of range");
}

}  // namespace tofu::views
