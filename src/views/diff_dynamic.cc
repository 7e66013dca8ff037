// Values without a type, as outputs and JSON in strings have them: what they look
// like on either side decides how they compare.
#include <utility>

#include "base/check.h"
#include "views/diff_place.h"

namespace tofu::views {

namespace {

using plans::Action;

PlainKind kind_of(const PlainValue* v) { return v == nullptr ? PlainKind::Null : v->kind; }

// Nothing of a dynamic value carries a note about replacement: only the whole does.
Diff diff_without_note(DiffKind kind, Action action) {
  Diff out;
  out.kind = kind;
  out.action = action;
  return out;
}

Diff diff_scalar(const DiffPlace& place, DiffKind kind) {
  const bool was = place.before != nullptr || place.before_given;
  const bool is = place.after != nullptr || place.after_given;
  Action action = Action::Update;
  if (!was && is) {
    action = Action::Create;
  } else if (was && !is) {
    action = Action::Delete;
  } else if (place.before != nullptr && place.after != nullptr ? same(*place.before, *place.after)
                                                               : place.is_null()) {
    action = Action::NoOp;
  }
  Diff out = diff_without_note(kind, action);
  out.before = place.before;
  out.after = place.after;
  return out;
}

Diff diff_object(const DiffPlace& place) {
  Diff out = diff_without_note(DiffKind::Object, place.outer_action());
  for (const std::string_view key : all_keys(place)) {
    out.keys.push_back(key);
    out.parts.push_back(diff_dynamic(place.at(key).if_relevant()));
    out.action = joined(out.action, out.parts.back().action);
  }
  return out;
}

Diff diff_array(const DiffPlace& place) {
  Diff out = diff_without_note(DiffKind::List, place.outer_action());
  for_each_list_element(
      place,
      [](const PlainValue& before, const PlainValue& after) {
        return !after.unknown && before.kind == PlainKind::Object &&
               after.kind == PlainKind::Object;
      },
      [&](const DiffPlace& part) {
        out.parts.push_back(diff_dynamic(part));
        out.action = joined(out.action, out.parts.back().action);
      });
  return out;
}

Diff diff_as(const DiffPlace& place, PlainKind kind) {
  switch (kind) {
    case PlainKind::Null:
    case PlainKind::Bool:
    case PlainKind::Number: return diff_scalar(place, DiffKind::Scalar);
    case PlainKind::String: return diff_scalar(place, DiffKind::Text);
    case PlainKind::Object: return diff_object(place);
    case PlainKind::Array: return diff_array(place);
  }
  base::broken_promise("a kind of value out of range");
}

}  // namespace

Diff diff_dynamic(const DiffPlace& place) {
  const auto again = [](const DiffPlace& inner) { return diff_dynamic(inner); };
  if (auto covered = cover_sensitive(place, DiffKind::Sensitive, again)) {
    covered->replace = false;
    return std::move(*covered);
  }
  if (auto covered = cover_unknown(place, nullptr, again)) {
    covered->replace = false;
    covered->action = place.before == nullptr ? Action::Create : Action::Update;
    return std::move(*covered);
  }
  const PlainKind before = kind_of(place.before);
  const PlainKind after = kind_of(place.after);
  const bool created = before == PlainKind::Null && !place.before_given;
  const bool removed = after == PlainKind::Null && !place.after_given;
  if (before == after || created || removed)
    return diff_as(place, before == PlainKind::Null ? after : before);

  Diff out = diff_without_note(DiffKind::TypeChange, Action::Update);
  out.parts.push_back(diff_as(place.removed(), before));
  out.parts.push_back(diff_as(place.created(), after));
  return out;
}

Diff diff_block(const DiffInput& input, const schema::Block& schema) {
  return diff_block(DiffPlace(input), schema);
}
Diff diff_typed(const DiffInput& input, value::Type type) {
  return diff_typed(DiffPlace(input), type);
}
Diff diff_dynamic(const DiffInput& input) { return diff_dynamic(DiffPlace(input)); }

}  // namespace tofu::views
