// A value in JSON form, with the unknown and sensitive parts marked.
//
// People compare texts, and programs compare JSON documents: a list, a set and a tuple of the same
// elements are the same to both. So values lose their types on the way to a view. Sensitivity comes
// from marks and from the schema; the schema's is added here and not as marks, since an element of
// a set cannot be marked by itself.
//
// Texts are views of the values and of the arena that a tree was made in; both
// outlive it. Depth is bounded: what lies deeper than kMaxDepth is omitted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "base/arena.h"
#include "schema/schema.h"
#include "value/value.h"

namespace tofu::views {

enum class PlainKind : std::uint8_t { Null, Bool, Number, String, Array, Object };

struct PlainValue {
  PlainKind kind = PlainKind::Null;
  bool unknown = false;                         // `kind` is its future kind, if certain
  bool sensitive = false;                       // with everything inside
  std::string_view text = {};                   // of a string; digits of a number; true or false
  std::span<const PlainValue> items = {};       // of an array or object
  std::span<const std::string_view> keys = {};  // of an object, in byte order
  std::uint64_t hash = 0;                       // agrees with same()

  const PlainValue* find(std::string_view key) const;
};

inline constexpr int kMaxDepth = 1'000;

// `arena` and `v` outlive what is returned.
PlainValue plain_value(base::Arena& arena, const value::Value& v);
// The same for an object that `schema` describes.
PlainValue plain_value(base::Arena& arena, const value::Value& v, const schema::Block& schema);

// The first value in JSON text, numbers as they are written there. Nothing if it
// is not JSON, or nested too deeply. `text` outlives what is returned.
std::optional<PlainValue> parse_plain_json(base::Arena& arena, std::string_view text);

// Whether both are the same to a reader of JSON: an unknown value counts as a null in an array and
// as missing in an object; notes do not count.
bool same(const PlainValue& a, const PlainValue& b);

}  // namespace tofu::views
