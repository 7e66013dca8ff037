// One place in a value before and after: what the comparison sees there.
//
// For the files of the diff only. A null and something that is not there are
// distinguished by `given`, since an element that is set to null is not an element
// that was removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "plans/action.h"
#include "schema/schema.h"
#include "views/diff.h"
#include "views/path_filter.h"
#include "views/plain_value.h"
#include "views/sequence_match.h"

namespace tofu::views {

struct DiffPlace {
  const PlainValue* before = nullptr;  // null: null, or not there
  const PlainValue* after = nullptr;   // likewise, or not known yet
  bool before_given = false;           // it is there, if only as a null
  bool after_given = false;
  bool unknown = false;  // after
  bool before_sensitive = false;
  bool after_sensitive = false;
  bool bare = false;  // an outer level has handled the sensitivity of inner values
  // Attributes that count as unknown although there is nothing after: they will be computed again.
  const std::vector<schema::Attribute>* unknown_parts = nullptr;
  PathFilter replace = PathFilter::none();
  PathFilter relevant = PathFilter::all();

  explicit DiffPlace(const DiffInput& input);

  DiffPlace at(std::string_view key) const;
  DiffPlace at(std::size_t before_index, std::size_t after_index) const;

  DiffPlace unchanged() const;  // before on both sides
  DiffPlace removed() const;    // nothing after
  DiffPlace created() const;    // nothing before
  // Unchanged, unless something in it matters.
  DiffPlace if_relevant() && { return relevant.touches() ? std::move(*this) : unchanged(); }

  bool is_null() const { return before == nullptr && after == nullptr; }
  // For a value that is compared as one piece.
  plans::Action action() const;
  // For one with parts, before these are known.
  plans::Action outer_action() const;

 private:
  DiffPlace() = default;
};

// The action of something that has parts with these two actions.
plans::Action joined(plans::Action current, plans::Action next);

Diff diff_of(const DiffPlace& place, DiffKind kind, plans::Action action);

// The members of a place by the names in either value, in order.
std::vector<std::string_view> all_keys(const DiffPlace& place);
// The same without unknown members.
std::vector<std::string_view> known_keys(const DiffPlace& place);

inline std::span<const PlainValue> elements_of(const PlainValue* v) {
  return v != nullptr && v->kind == PlainKind::Array ? v->items : std::span<const PlainValue>();
}
// At least one; without the line feeds.
std::vector<std::string_view> lines_of(std::string_view text);
// Whether two texts, one of them of several lines, have a line in common.
bool share_a_line(const PlainValue& a, const PlainValue& b);

// If the place is sensitive: what `inner` makes of it, under a cover.
template <class Inner>
std::optional<Diff> cover_sensitive(const DiffPlace& place, DiffKind kind, Inner&& inner) {
  if (!place.before_sensitive && !place.after_sensitive) return std::nullopt;
  DiffPlace open = place;
  open.before_sensitive = open.after_sensitive = false;
  open.bare = true;
  Diff inside = inner(open);
  plans::Action action = inside.action;
  const bool is_there = !place.is_null() || place.before_given || place.after_given;
  if (action == plans::Action::NoOp && place.before_sensitive != place.after_sensitive &&
      is_there) {
    action = plans::Action::Update;
  }
  Diff out = diff_of(place, kind, action);
  out.before_sensitive = place.before_sensitive;
  out.after_sensitive = place.after_sensitive;
  out.parts.push_back(std::move(inside));
  return out;
}

// If the place is unknown: that, and the result of `inner` for the value before.
template <class Inner>
std::optional<Diff> cover_unknown(const DiffPlace& place,
                                  const std::vector<schema::Attribute>* parts, Inner&& inner) {
  if (!place.unknown) return std::nullopt;
  DiffPlace now = place;
  now.after_given = true;
  Diff out = diff_of(now, DiffKind::Unknown, now.action());
  if (place.before != nullptr) {
    DiffPlace gone = now.removed();
    gone.unknown_parts = parts;
    out.parts.push_back(inner(gone));
  }
  return out;
}

// Calls `on` for each position before or after, with its values.
template <class On>
void for_each_position(const DiffPlace& place, On&& on) {
  const std::size_t count =
      std::max(elements_of(place.before).size(), elements_of(place.after).size());
  for (std::size_t i = 0; i < count; ++i) on(place.at(i, i));
}

// Calls `on` for the elements of a list, those that belong together as one. Two
// different ones do if `alike` says so, or if they are texts with a line in common.
template <class Alike, class On>
void for_each_list_element(const DiffPlace& place, Alike&& alike, On&& on) {
  const auto before = elements_of(place.before);
  const auto after = elements_of(place.after);
  const auto pairs_up = [&](std::size_t b, std::size_t a) {
    return alike(before[b], after[a]) || share_a_line(before[b], after[a]);
  };
  for (const MatchedPair& pair : match_sequences(before, after, pairs_up)) {
    on(place.at(pair.before, pair.after));
  }
}

// Calls `on` for the elements of a set, those that stay as one. All of them are
// relevant.
template <class On>
void for_each_set_element(const DiffPlace& place, On&& on) {
  const auto stays = [&](std::size_t b, std::size_t a) {
    const DiffPlace part = place.at(b, a);
    return part.before_sensitive == part.after_sensitive && !part.unknown;
  };
  for (const MatchedPair& pair :
       match_sets(elements_of(place.before), elements_of(place.after), stays)) {
    DiffPlace part = place.at(pair.before, pair.after);
    part.relevant = PathFilter::all();
    on(part);
  }
}

// The ways of comparing; each is its own kind of place.
Diff diff_block(const DiffPlace& place, const schema::Block& schema);
Diff diff_attribute(const DiffPlace& place, const schema::Attribute& attribute,
                    plans::Action outer);
Diff diff_nested(const DiffPlace& place, const std::vector<schema::Attribute>& attributes,
                 schema::Nesting nesting);
Diff diff_typed(const DiffPlace& place, value::Type type);
Diff diff_dynamic(const DiffPlace& place);

}  // namespace tofu::views
