// Attributes of a schema: those with a type, and those with attributes of their own.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "views/diff_place.h"

namespace tofu::views {

namespace {

using plans::Action;
using schema::Attribute;
using schema::Nesting;

// There is never a value to compare, so it goes with what is around it. A value that forces a
// replacement is shown even if everything around it is unchanged.
Diff diff_write_only(const DiffPlace& place, Action outer) {
  if (outer == Action::NoOp && place.replace.matches()) outer = Action::Update;
  return diff_of(place, DiffKind::WriteOnly, outer);
}

Diff diff_nested_object(const DiffPlace& place, const std::vector<Attribute>& attributes) {
  Diff out = diff_of(place, DiffKind::NestedObject, place.outer_action());
  std::vector<std::pair<std::string_view, Diff>> found;
  // Those that are only written go by the action of all others.
  for (const bool write_only : {false, true}) {
    for (const Attribute& attribute : attributes) {
      if (attribute.write_only != write_only) continue;
      DiffPlace part = place.at(attribute.name).if_relevant();
      part.before_given = part.after_given = false;
      Diff diff = diff_attribute(part, attribute, out.action);
      if (diff.action == Action::NoOp && part.is_null()) continue;
      out.action = joined(out.action, diff.action);
      found.emplace_back(attribute.name, std::move(diff));
    }
  }
  std::ranges::sort(found, {}, [](const auto& entry) { return entry.first; });
  for (auto& [name, diff] : found) {
    out.keys.push_back(name);
    out.parts.push_back(std::move(diff));
  }
  return out;
}

Diff diff_nested_map(const DiffPlace& place, const std::vector<Attribute>& attributes) {
  Diff out = diff_of(place, DiffKind::NestedMap, place.outer_action());
  for (const std::string_view key : known_keys(place)) {
    out.keys.push_back(key);
    out.parts.push_back(diff_nested(place.at(key).if_relevant(), attributes, Nesting::Single));
    out.action = joined(out.action, out.parts.back().action);
  }
  return out;
}

Diff diff_nested_list(const DiffPlace& place, const std::vector<Attribute>& attributes) {
  Diff out = diff_of(place, DiffKind::NestedList, place.outer_action());
  for_each_position(place, [&](DiffPlace part) {
    out.parts.push_back(diff_nested(std::move(part).if_relevant(), attributes, Nesting::Single));
    out.action = joined(out.action, out.parts.back().action);
  });
  return out;
}

Diff diff_nested_set(const DiffPlace& place, const std::vector<Attribute>& attributes) {
  Diff out = diff_of(place, DiffKind::NestedSet, place.outer_action());
  for_each_set_element(place, [&](const DiffPlace& part) {
    out.parts.push_back(diff_nested(part, attributes, Nesting::Single));
    out.action = joined(out.action, out.parts.back().action);
  });
  return out;
}

}  // namespace

Diff diff_attribute(const DiffPlace& place, const Attribute& attribute, Action outer) {
  if (attribute.write_only) return diff_write_only(place, outer);
  if (attribute.nested)
    return diff_nested(place, attribute.nested->attributes, attribute.nested->nesting);
  return diff_typed(place, attribute.type);
}

Diff diff_nested(const DiffPlace& place, const std::vector<Attribute>& attributes,
                 Nesting nesting) {
  const auto again = [&](const DiffPlace& inner) {
    return diff_nested(inner, attributes, nesting);
  };
  if (auto covered = cover_sensitive(place, DiffKind::Sensitive, again)) return std::move(*covered);
  if (auto covered = cover_unknown(place, &attributes, again)) return std::move(*covered);
  switch (nesting) {
    case Nesting::Single:
    case Nesting::Group: return diff_nested_object(place, attributes);
    case Nesting::Map: return diff_nested_map(place, attributes);
    case Nesting::List: return diff_nested_list(place, attributes);
    case Nesting::Set: return diff_nested_set(place, attributes);
  }
  base::broken_promise("a nesting out of range");
}

}  // namespace tofu::views
