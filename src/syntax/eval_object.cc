// Tuples and objects written out: `[a, b]`, `{ k = v }`, and JSON objects.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>

#include "base/unicode.h"
#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Attr;
using value::Kind;
using value::Type;
using value::Value;

// The key as written, if it needs no evaluation and no normalization.
std::string_view fixed_key(const Expr& key) {
  const auto* native = as_if<ObjectKeyExpr>(key);
  if (native == nullptr || native->forced) return {};
  const std::string_view word = bare_word(*native->wrapped);
  if (!word.empty()) return base::is_ascii(word) ? word : std::string_view();
  const auto* text = as_if<TemplateExpr>(*native->wrapped);
  if (text == nullptr || text->parts.size() != 1) return {};
  const auto* literal = as_if<LiteralExpr>(*text->parts[0]);
  if (literal == nullptr || literal->value->kind() != Kind::String) return {};
  return literal->value->plain().as_string();
}

}  // namespace

Value Evaluator::tuple(const TupleExpr& expr, Diagnostics& diags) {
  if (!may_make(expr.items.size(), expr, diags)) return Value::unknown();
  std::vector<Value> items;
  items.reserve(expr.items.size());
  for (const Expr* item : expr.items) items.push_back(eval(*item, diags));
  return checked(Value::tuple(std::move(items)), expr, diags);
}

Value Evaluator::object(const ObjectExpr& expr, Diagnostics& diags) {
  if (!expr.items.empty() && expr.items[0].key->kind == ExprKind::JsonString) {
    return json_object(expr, diags);
  }
  if (!may_make(expr.items.size(), expr, diags)) return Value::unknown();
  if (loops_ != 0) {
    auto [at, is_new] = shapes_.try_emplace(&expr);  // stays in place while others are added
    if (is_new) at->second = shape_of(expr);
    if (at->second) return checked(object_of_shape(expr, *at->second, diags), expr, diags);
  }
  std::vector<Attr> attributes;
  attributes.reserve(expr.items.size());
  value::Marks marks;
  bool known = true;
  for (const ObjectItem& item : expr.items) {
    if (!object_item(item, attributes, marks, diags)) known = false;
  }
  if (!known) return Value::unknown();
  return checked(Value::object(std::move(attributes)), expr, diags).with_marks(marks);
}

// Adds the item's attribute, unless its key is not known.
bool Evaluator::object_item(const ObjectItem& item, std::vector<Attr>& attributes,
                            value::Marks& marks, Diagnostics& diags) {
  const std::size_t errors_before = diags.error_count();
  Value key = eval(*item.key, diags);
  const bool key_failed = diags.error_count() != errors_before;
  Value item_value = eval(*item.value, diags);
  if (key_failed) return false;
  if (key.is_null()) {
    fault(diags, "Null value as key", "The key is null. A key must be a string.", item.value->range,
          item.key);
    return false;
  }
  key = strip_marks(std::move(key), marks);
  std::string name;
  if (append_text(name, key)) {
    attributes.push_back(Attr{std::move(name), std::move(item_value)});
    return true;
  }
  const auto converted = value::convert(key, Type::string());
  if (!converted) {
    fault(diags, "Incorrect key type",
          fmt::format("The key must be a string: {}.", to_string(converted.error())),
          item.key->range, item.key);
  }
  return false;
}

std::optional<value::ObjectShape> Evaluator::shape_of(const ObjectExpr& expr) {
  std::vector<std::string_view> keys;
  keys.reserve(expr.items.size());
  for (const ObjectItem& item : expr.items) {
    keys.push_back(fixed_key(*item.key));
    if (keys.back().empty()) return std::nullopt;
  }
  return value::ObjectShape(keys);
}

Value Evaluator::object_of_shape(const ObjectExpr& expr, const value::ObjectShape& shape,
                                 Diagnostics& diags) {
  std::vector<Value> items(shape.size());
  for (std::size_t i = 0; i < expr.items.size(); ++i) {
    items[shape.place(i)] = eval(*expr.items[i].value, diags);
  }
  return shape.make(std::move(items));
}

Value Evaluator::object_key(const ObjectKeyExpr& expr, Diagnostics& diags) {
  if (expr.forced) return eval(*expr.wrapped, diags);
  const auto* variable = as_if<VariableExpr>(*expr.wrapped);
  const auto* bound = as_if<LocalExpr>(*expr.wrapped);
  if ((variable != nullptr && !variable->traversal.steps.empty()) ||
      (bound != nullptr && !bound->traversal.root.empty() && !bound->traversal.steps.empty())) {
    diags.error("Ambiguous attribute key")
        .detail(
            "This key can be read as a name with dots or as a reference. Write a name in quotes, "
            "or a reference in parentheses.")
        .at(expr.range);
    return Value::unknown();
  }
  const std::string_view word = bare_word(*expr.wrapped);
  if (!word.empty()) return Value::string(word);
  return eval(*expr.wrapped, diags);
}

Value Evaluator::json_object(const ObjectExpr& expr, Diagnostics& diags) {
  std::vector<Attr> attributes;
  std::unordered_set<std::string> seen;
  value::Marks marks;
  bool known = true;
  for (const ObjectItem& item : expr.items) {
    Value name = strip_marks(eval(*item.key, diags), marks);
    Value item_value = eval(*item.value, diags);
    auto key = value::convert(name, Type::string());
    if (!key || key->is_null()) {
      fault(diags, "Invalid object key",
            key ? "The key is null. A key must be a string."
                : fmt::format("The key must be a string: {}.", to_string(key.error())),
            item.key->range, item.value);
      continue;
    }
    if (key->is_unknown()) {
      known = false;
      continue;
    }
    std::string text(key->plain().as_string());
    if (!seen.insert(text).second) {
      fault(diags, "Duplicate object attribute",
            fmt::format("The object already has an attribute named {}.", base::quote_go(text)),
            item.key->range, &expr);
      continue;
    }
    attributes.push_back(Attr{std::move(text), std::move(item_value)});
  }
  if (!known) return Value::unknown();
  return Value::object(std::move(attributes)).with_marks(marks);
}

}  // namespace tofu::syntax
