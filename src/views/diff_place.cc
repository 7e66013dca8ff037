#include "views/diff_place.h"

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/trim.h"

namespace tofu::views {

namespace {

using plans::Action;

const PlainValue* if_there(const PlainValue* v) {
  return v != nullptr && !v->unknown && v->kind != PlainKind::Null ? v : nullptr;
}

const PlainValue* member(const PlainValue* v, std::string_view key) {
  return v != nullptr && v->kind == PlainKind::Object ? v->find(key) : nullptr;
}

const PlainValue* element(const PlainValue* v, std::size_t index) {
  return v != nullptr && v->kind == PlainKind::Array && index < v->items.size() ? &v->items[index]
                                                                                : nullptr;
}

bool has_attribute(const std::vector<schema::Attribute>* attributes, std::string_view name) {
  return attributes != nullptr &&
         std::ranges::find(*attributes, name, &schema::Attribute::name) != attributes->end();
}

}  // namespace

DiffPlace::DiffPlace(const DiffInput& input) : replace(input.replace), relevant(input.relevant) {
  before = if_there(input.before);
  after = if_there(input.after);
  unknown = input.after != nullptr && input.after->unknown;
  before_sensitive = input.before != nullptr && input.before->sensitive;
  after_sensitive = input.after != nullptr && input.after->sensitive;
}

DiffPlace DiffPlace::at(std::string_view key) const {
  const PlainValue* old = member(before, key);
  const PlainValue* now = member(after, key);
  DiffPlace child;
  child.before = if_there(old);
  child.after = if_there(now);
  child.before_given = old != nullptr;
  child.after_given = now != nullptr && !now->unknown;
  child.unknown = (now != nullptr && now->unknown) || has_attribute(unknown_parts, key);
  child.bare = bare;
  child.before_sensitive = !bare && !before_sensitive && old != nullptr && old->sensitive;
  child.after_sensitive = !bare && !after_sensitive && now != nullptr && now->sensitive;
  child.replace = replace.at(key);
  child.relevant = relevant.at(key);
  return child;
}

DiffPlace DiffPlace::at(std::size_t before_index, std::size_t after_index) const {
  const PlainValue* old = element(before, before_index);
  const PlainValue* now = element(after, after_index);
  DiffPlace child;
  child.before = if_there(old);
  child.after = if_there(now);
  child.before_given = old != nullptr;
  child.after_given = now != nullptr;
  child.unknown = now != nullptr && now->unknown;
  child.bare = bare;
  child.before_sensitive = !bare && !before_sensitive && old != nullptr && old->sensitive;
  child.after_sensitive = !bare && !after_sensitive && now != nullptr && now->sensitive;
  const std::size_t index = old != nullptr ? before_index : after_index;
  child.replace = replace.at(index);
  child.relevant = relevant.at(index);
  return child;
}

DiffPlace DiffPlace::unchanged() const {
  DiffPlace place = *this;
  place.after = before;
  place.after_given = before_given;
  place.unknown = false;
  place.after_sensitive = before_sensitive;
  place.unknown_parts = nullptr;
  return place;
}

DiffPlace DiffPlace::removed() const {
  DiffPlace place = *this;
  place.after = nullptr;
  place.after_given = false;
  place.unknown = false;
  place.after_sensitive = false;
  return place;
}

DiffPlace DiffPlace::created() const {
  DiffPlace place = *this;
  place.before = nullptr;
  place.before_given = false;
  place.before_sensitive = false;
  return place;
}

Action DiffPlace::action() const {
  const bool was = before != nullptr || before_given;
  const bool is = after != nullptr || after_given;
  if (!was && is) return Action::Create;
  if (was && !is) return Action::Delete;
  const bool equal = before != nullptr && after != nullptr ? same(*before, *after) : is_null();
  if (equal && before_given == after_given && before_sensitive == after_sensitive)
    return Action::NoOp;
  return Action::Update;
}

Action DiffPlace::outer_action() const {
  if (is_null()) return Action::NoOp;
  if (before == nullptr) return Action::Create;
  if (after == nullptr) return Action::Delete;
  return Action::NoOp;
}

std::vector<std::string_view> lines_of(std::string_view text) { return base::split(text, '\n'); }

Action joined(Action current, Action next) {
  if (next == Action::NoOp || next == current) return current;
  return Action::Update;
}

Diff diff_of(const DiffPlace& place, DiffKind kind, Action action) {
  Diff diff;
  diff.kind = kind;
  diff.action = action;
  diff.replace = place.replace.matches();
  return diff;
}

bool share_a_line(const PlainValue& a, const PlainValue& b) {
  if (a.unknown || b.unknown || a.kind != PlainKind::String || b.kind != PlainKind::String)
    return false;
  if (a.text.find('\n') == a.text.npos && b.text.find('\n') == b.text.npos) return false;
  const std::vector<std::string_view> lines = lines_of(a.text);
  const std::unordered_set<std::string_view> known(lines.begin(), lines.end());
  return std::ranges::any_of(lines_of(b.text),
                             [&](std::string_view line) { return known.contains(line); });
}

namespace {

std::vector<std::string_view> merged_keys(const DiffPlace& place, bool with_unknown) {
  std::vector<std::string_view> before;
  std::vector<std::string_view> after;
  if (place.before != nullptr) before.assign(place.before->keys.begin(), place.before->keys.end());
  if (place.after != nullptr) {
    for (std::size_t i = 0; i < place.after->keys.size(); ++i) {
      if (with_unknown || !place.after->items[i].unknown) after.push_back(place.after->keys[i]);
    }
  }
  std::vector<std::string_view> keys;
  std::ranges::set_union(before, after, std::back_inserter(keys));
  return keys;
}

}  // namespace

std::vector<std::string_view> all_keys(const DiffPlace& place) { return merged_keys(place, true); }

std::vector<std::string_view> known_keys(const DiffPlace& place) {
  return merged_keys(place, false);
}

}  // namespace tofu::views
