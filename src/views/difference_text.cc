#include "views/difference_text.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/arena.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/value.h"
#include "views/diff.h"
#include "views/diff_text.h"

namespace tofu::views {

namespace {

using value::Kind;
using value::Value;

bool is_true(const Value* note) {
  return note != nullptr && note->kind() == Kind::Bool && note->plain().as_bool();
}

// The note about an element; null if there is none.
const Value* note_of(const Value* notes, std::size_t index) {
  if (notes == nullptr || notes->kind() != Kind::Tuple) return nullptr;
  return index < notes->plain().size() ? &notes->plain().items()[index] : nullptr;
}
const Value* note_of(const Value* notes, std::string_view name) {
  if (notes == nullptr || notes->kind() != Kind::Object) return nullptr;
  return notes->plain().find(name);
}

// The value that a document and the notes about it stand for. Documents have a bounded depth.
Value noted(const Value& document, const Value* unknown, const Value* sensitive) {
  const auto marked = [&](Value v) {
    return is_true(sensitive) ? v.with_marks(value::Marks::sensitive()) : v;
  };
  if (is_true(unknown)) return marked(Value::unknown());
  const value::Plain& plain = document.plain();
  if (plain.kind() == Kind::Tuple) {
    std::vector<Value> items;
    items.reserve(plain.size());
    for (std::size_t i = 0; i < plain.size(); ++i) {
      items.push_back(noted(plain.items()[i], note_of(unknown, i), note_of(sensitive, i)));
    }
    return marked(Value::tuple(std::move(items)));
  }
  if (plain.kind() != Kind::Object) return marked(document);
  std::vector<value::Attr> attributes;
  value::for_each_element(plain, [&](const Value& key, const Value& item) {
    const std::string_view name = key.plain().as_string();
    attributes.push_back(
        {std::string(name), noted(item, note_of(unknown, name), note_of(sensitive, name))});
  });
  if (unknown != nullptr && unknown->kind() == Kind::Object) {
    // Only this document has values that are unknown as a whole.
    value::for_each_element(unknown->plain(), [&](const Value& key, const Value& note) {
      const std::string_view name = key.plain().as_string();
      if (is_true(&note) && plain.find(name) == nullptr) {
        attributes.push_back({std::string(name), Value::unknown()});
      }
    });
  }
  return marked(Value::object(std::move(attributes)));
}

}  // namespace

std::string difference_text(const diag::ShownDifference& shown, bool color) {
  const auto before = value::parse_json(shown.before);
  const auto after = value::parse_json(shown.after.empty() ? "null" : shown.after);
  const auto unknown = value::parse_json(shown.after_unknown);
  const auto before_sensitive = value::parse_json(shown.before_sensitive);
  const auto after_sensitive = value::parse_json(shown.after_sensitive);
  if (!before || !after || !unknown || !before_sensitive || !after_sensitive) return {};

  const Value left = noted(*before, nullptr, &*before_sensitive);
  const Value right = noted(*after, &*unknown, &*after_sensitive);
  base::Arena arena;
  const PlainValue plain_left = plain_value(arena, left);
  const PlainValue plain_right = plain_value(arena, right);
  return diff_text(diff_dynamic(DiffInput{&plain_left, &plain_right}), {.color = color});
}

}  // namespace tofu::views
