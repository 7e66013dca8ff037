#include "documents/plain_json.h"

#include <algorithm>

namespace tofu::documents {

namespace {

bool is_container(const views::PlainValue& v) {
  return v.kind == views::PlainKind::Array || v.kind == views::PlainKind::Object;
}

// Whether the document about unknown parts has `false` here.
bool is_plainly_known(const views::PlainValue& v) { return !v.unknown && !is_container(v); }

// Likewise for sensitive parts.
bool is_plainly_open(const views::PlainValue& v) { return !v.sensitive && !is_container(v); }

// Both documents about parts: `here` writes a value that is true, false or empty as a whole and
// returns whether it did; `is_false` what an object leaves out.
template <class Here, class IsFalse>
void write_parts(base::JsonWriter& json, const views::PlainValue& v, const Here& here,
                 const IsFalse& is_false) {
  if (here(v)) return;
  if (v.kind == views::PlainKind::Array) {
    json.begin_array();
    for (const views::PlainValue& item : v.items) write_parts(json, item, here, is_false);
    json.end_array();
    return;
  }
  json.begin_object();
  for (std::size_t i = 0; i < v.items.size(); ++i) {
    if (is_false(v.items[i])) continue;
    json.key(v.keys[i]);
    write_parts(json, v.items[i], here, is_false);
  }
  json.end_object();
}

}  // namespace

void write_known(base::JsonWriter& json, const views::PlainValue& v) {
  if (v.unknown) return json.null();
  switch (v.kind) {
    case views::PlainKind::Null: return json.null();
    case views::PlainKind::Bool:
    case views::PlainKind::Number: return json.raw(v.text);
    case views::PlainKind::String: return json.string(v.text);
    case views::PlainKind::Array:
      json.begin_array();
      for (const views::PlainValue& item : v.items) write_known(json, item);
      return json.end_array();
    case views::PlainKind::Object:
      json.begin_object();
      for (std::size_t i = 0; i < v.items.size(); ++i) {
        if (v.items[i].unknown) continue;
        json.key(v.keys[i]);
        write_known(json, v.items[i]);
      }
      return json.end_object();
  }
}

void write_unknown(base::JsonWriter& json, const views::PlainValue& v) {
  const auto here = [&](const views::PlainValue& part) {
    if (!part.unknown && is_container(part)) return false;
    json.boolean(part.unknown);
    return true;
  };
  write_parts(json, v, here, is_plainly_known);
}

void write_sensitive(base::JsonWriter& json, const views::PlainValue& v) {
  const auto here = [&](const views::PlainValue& part) {
    if (!part.sensitive && is_container(part)) return false;
    json.boolean(part.sensitive);
    return true;
  };
  write_parts(json, v, here, is_plainly_open);
}

bool has_known_members(const views::PlainValue& v) {
  return v.kind == views::PlainKind::Object && !v.unknown &&
         std::ranges::any_of(v.items, [](const views::PlainValue& item) { return !item.unknown; });
}

bool has_unknown(const views::PlainValue& v) {
  return v.unknown || std::ranges::any_of(v.items, has_unknown);
}

}  // namespace tofu::documents
