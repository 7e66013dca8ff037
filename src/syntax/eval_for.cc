// `for` expressions: one element of a collection after the other.
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unicode.h"
#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

bool is_secret(value::Marks marks) { return marks.is_sensitive() || marks.is_ephemeral(); }

Value with(value::Marks marks, Value v) {
  return marks.empty() ? v : std::move(v).with_marks(marks);
}

bool has_elements(Type type) { return type.is_collection() || type.is_structural(); }

// Calls `on(key, element)`; the key is omitted where it is not used.
template <class On>
void go_through(const Value& collection, bool with_keys, On&& on) {
  if (with_keys) return for_each_element(collection.plain(), on);
  for (const Value& element : collection.plain().items()) on(Value(), element);
}

// Finds out which keys were seen before. Keys often come in ascending order (from
// a map or object); then each is new and nothing needs to be looked up.
class KeyIndex {
 public:
  static constexpr std::uint32_t kNew = std::numeric_limits<std::uint32_t>::max();

  // The position of an equal key added before, or kNew after adding this one.
  std::uint32_t add(const Value& key) {
    const std::string_view text = key.plain().as_string();
    if (ascending_ && (keys_.empty() || keys_.back().plain().as_string() < text)) {
      keys_.push_back(key);
      return kNew;
    }
    ascending_ = false;
    if ((keys_.size() + 1) * 2 > table_.size()) grow();
    Entry& entry = find(hash_of(text), text);
    if (entry.position != kNew) return entry.position;
    entry = {hash_of(text), static_cast<std::uint32_t>(keys_.size())};
    keys_.push_back(key);
    return kNew;
  }

  // The keys in the order they came.
  std::vector<Value> take() && { return std::move(keys_); }

 private:
  struct Entry {
    std::uint32_t hash = 0;
    std::uint32_t position = kNew;
  };

  static std::uint32_t hash_of(std::string_view text) {
    return static_cast<std::uint32_t>(std::hash<std::string_view>()(text));
  }

  Entry& find(std::uint32_t hash, std::string_view text) {
    const std::size_t mask = table_.size() - 1;
    std::size_t at = hash & mask;
    while (table_[at].position != kNew &&
           (table_[at].hash != hash || keys_[table_[at].position].plain().as_string() != text)) {
      at = (at + 1) & mask;
    }
    return table_[at];
  }

  void grow() {
    table_.assign(std::bit_ceil(keys_.size() * 4 + 16), Entry());
    for (std::size_t i = 0; i < keys_.size(); ++i) {
      const std::uint32_t hash = hash_of(keys_[i].plain().as_string());
      find(hash, keys_[i].plain().as_string()) = {hash, static_cast<std::uint32_t>(i)};
    }
  }

  std::vector<Value> keys_;
  std::vector<Entry> table_;  // open addressing, at most half full
  bool ascending_ = true;
};

Value object_of(const std::vector<Value>& keys, std::vector<Value> items) {
  std::vector<value::Attr> attributes;
  attributes.reserve(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    attributes.push_back({std::string(keys[i].plain().as_string()), std::move(items[i])});
  }
  return Value::object(std::move(attributes));
}

}  // namespace

Value Evaluator::for_expr(const ForExpr& expr, Diagnostics& diags) {
  if (budget_.spent_at != nullptr) return Value::unknown();
  value::Marks marks;
  const Value given = eval(*expr.collection, diags);
  if (given.is_null()) {
    fault(diags, "Iteration over null value", "The collection of this 'for' expression is null.",
          expr.collection->range, expr.collection)
        .within(expr.range);
    return Value::unknown();
  }
  if (given.type().is_dynamic()) return Value::unknown();
  const auto collection = strip_marks(given, marks);
  if (!has_elements(collection.type())) {
    fault(diags, "Iteration over non-iterable value",
          fmt::format("A 'for' expression requires a collection, but this value is of type {}.",
                      friendly_name(collection.type())),
          expr.collection->range, expr.collection)
        .within(expr.range);
    return Value::unknown();
  }
  const Loop loop(*this);
  value::Marks condition_marks;
  if (expr.condition != nullptr && !for_condition_makes_sense(expr, condition_marks, diags)) {
    return Value::unknown();
  }
  if (collection.is_unknown()) return Value::unknown().with_marks(marks.with(condition_marks));
  return is_secret(marks) ? for_secret_elements(expr, collection, marks, diags)
                          : for_elements(expr, collection, marks, diags);
}

Value Evaluator::for_elements(const ForExpr& expr, const Value& collection, value::Marks marks,
                              Diagnostics& diags) {
  return expr.key == nullptr ? for_tuple(expr, collection, marks, diags)
                             : for_object(expr, collection, marks, diags);
}

// The names of a loop stand for elements without the marks of their collection, as in OpenTofu, and
// errors about them would show what they are. After an error the loop is evaluated once more with
// marked elements, for the sake of its messages. Loops inside of it begin with that.
Value Evaluator::for_secret_elements(const ForExpr& expr, const Value& collection,
                                     value::Marks marks, Diagnostics& diags) {
  if (explains_) return for_elements(expr, collection, marks, diags);
  const Budget budget = budget_;
  Diagnostics found;
  Value result = for_elements(expr, collection, marks, found);
  if (!found.has_errors()) {
    diags.take(std::move(found));
    return result;
  }
  found = Diagnostics();
  budget_ = budget;
  explains_ = true;
  for_elements(expr, collection, marks, found);
  explains_ = false;
  if (!found.has_errors()) {
    fault(found, "Error in a sensitive value",
          "This 'for' expression fails for an element of a sensitive or ephemeral collection.",
          expr.collection->range, nullptr)
        .within(expr.range);
  }
  diags.take(std::move(found));
  return Value::unknown().with_marks(marks);
}

// Tries the condition on elements about which nothing is known, so that one that
// is wrong for any element is reported once.
bool Evaluator::for_condition_makes_sense(const ForExpr& expr, value::Marks& marks,
                                          Diagnostics& diags) {
  bind(expr.key_slot, Value::unknown());
  bind(expr.value_slot, Value::unknown());
  const std::size_t errors_before = diags.error_count();
  const Value result = eval(*expr.condition, diags);
  const bool failed = diags.error_count() != errors_before;
  if (result.is_null()) {
    fault(diags, "Condition is null", "The condition of this 'for' expression is null.",
          expr.condition->range, expr.condition)
        .within(expr.range);
    return false;
  }
  marks = result.marks();
  if (result.type() != Type::boolean()) {
    const auto truth = value::convert(result, Type::boolean());
    if (!truth) {
      fault(diags, "Invalid 'for' condition",
            fmt::format("The condition of a 'for' expression must be true or false: {}.",
                        to_string(truth.error())),
            expr.condition->range, expr.condition)
          .within(expr.range);
      return false;
    }
  }
  return !failed;
}

// Whether the element bound now is wanted. `report` is false once the result is
// unknown anyway, to spare the reader the same complaint for every element.
Evaluator::Include Evaluator::for_include(const ForExpr& expr, bool report, value::Marks& marks,
                                          Diagnostics& diags) {
  Value given = eval(*expr.condition, diags);
  if (given.kind() == Kind::Bool) return given.plain().as_bool() ? Include::Yes : Include::No;
  if (given.is_null()) {
    if (report) {
      fault(diags, "Condition is null", "The condition of this 'for' expression is null.",
            expr.condition->range, expr.condition)
          .within(expr.range);
    }
    return Include::NotTold;
  }
  const auto plain = strip_marks(std::move(given), marks);
  // An unknown of a wrong type is an error only where an object is made.
  if (expr.key == nullptr && plain.is_unknown()) return Include::NotTold;
  const auto truth = value::convert(plain, Type::boolean());
  if (!truth) {
    if (report) {
      fault(diags, "Invalid 'for' condition",
            fmt::format("The condition of a 'for' expression must be true or false: {}.",
                        to_string(truth.error())),
            expr.condition->range, expr.condition)
          .within(expr.range);
    }
    return Include::NotTold;
  }
  if (truth->is_unknown()) return Include::NotTold;
  return truth->plain().as_bool() ? Include::Yes : Include::No;
}

Value Evaluator::for_tuple(const ForExpr& expr, const Value& collection, value::Marks marks,
                           Diagnostics& diags) {
  std::vector<Value> items;
  items.reserve(collection.plain().size());
  bool known = true;
  const bool with_keys = !expr.key_name.empty();
  const value::Marks bound = explains_ ? marks : value::Marks();
  go_through(collection, with_keys, [&](Value key, const Value& element) {
    if (budget_.spent_at != nullptr || !may_go_on(expr, diags)) return;
    if (!may_make(1, expr, diags)) return;
    bind(expr.value_slot, with(bound, element));
    if (with_keys) bind(expr.key_slot, with(bound, std::move(key)));
    if (expr.condition != nullptr) {
      const Include include = for_include(expr, known, marks, diags);
      if (include == Include::NotTold) known = false;
      if (include != Include::Yes) return;
    }
    items.push_back(eval(*expr.value, diags));
  });
  if (!known || budget_.spent_at != nullptr) return Value::unknown().with_marks(marks);
  return checked(Value::tuple(std::move(items)), expr, diags).with_marks(marks);
}

std::optional<Value> Evaluator::for_key(const ForExpr& expr, bool report, value::Marks& marks,
                                        Diagnostics& diags) {
  Value given = eval(*expr.key, diags);
  if (auto text = quick_string(given)) return text;
  if (given.is_null()) {
    if (report) {
      fault(diags, "Invalid object key", "The key is null. A key must be a string.",
            expr.key->range, expr.key)
          .within(expr.range);
    }
    return std::nullopt;
  }
  const auto plain = strip_marks(std::move(given), marks);
  if (plain.is_unknown()) return std::nullopt;
  if (auto text = quick_string(plain)) return text;
  const auto key = value::convert(plain, Type::string());
  TOFU_CHECK(!key, "only strings, numbers and bools have a text");
  if (report) {
    fault(diags, "Invalid object key",
          fmt::format("The key must be a string: {}.", to_string(key.error())), expr.key->range,
          expr.key)
        .within(expr.range);
  }
  return std::nullopt;
}

Value Evaluator::for_object(const ForExpr& expr, const Value& collection, value::Marks marks,
                            Diagnostics& diags) {
  KeyIndex keys;
  std::vector<Value> items;
  std::vector<std::vector<Value>> groups;
  bool known = true;
  const bool with_keys = !expr.key_name.empty();
  const value::Marks bound = explains_ ? marks : value::Marks();
  go_through(collection, with_keys, [&](Value element_key, const Value& element) {
    if (budget_.spent_at != nullptr || !may_go_on(expr, diags)) return;
    if (!may_make(1, expr, diags)) return;
    bind(expr.value_slot, with(bound, element));
    if (with_keys) bind(expr.key_slot, with(bound, std::move(element_key)));
    if (expr.condition != nullptr) {
      const Include include = for_include(expr, known, marks, diags);
      if (include == Include::NotTold) known = false;
      if (include != Include::Yes) return;
    }
    const auto key = for_key(expr, known, marks, diags);
    if (!key) {
      known = false;
      return;
    }
    Value item = eval(*expr.value, diags);
    const std::uint32_t before = keys.add(*key);
    if (expr.group) {
      if (before == KeyIndex::kNew) groups.emplace_back();
      (before == KeyIndex::kNew ? groups.back() : groups[before]).push_back(std::move(item));
    } else if (before == KeyIndex::kNew) {
      items.push_back(std::move(item));
    } else {
      fault(diags, "Duplicate object key",
            fmt::format(
                "Two elements of this 'for' expression have the {}. To group their values, write "
                "... after the value.",
                is_secret(marks) ? "same key" : "key " + base::quote_go(key->plain().as_string())),
            expr.key->range, expr.key)
          .within(expr.range);
    }
  });
  if (!known || budget_.spent_at != nullptr) return Value::unknown().with_marks(marks);
  for (std::vector<Value>& group : groups) items.push_back(Value::tuple(std::move(group)));
  return checked(object_of(std::move(keys).take(), std::move(items)), expr, diags)
      .with_marks(marks);
}

}  // namespace tofu::syntax
