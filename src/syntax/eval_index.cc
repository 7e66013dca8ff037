// Attributes and indices: `.a`, `[0]`, `["k"]` on values that are already there.
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/unicode.h"
#include "syntax/eval.h"
#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/operations.h"
#include "value/path.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

Value attribute_at(const Value& object, std::size_t position) {
  if (object.kind() == Kind::Object) return object.plain().items()[position];
  if (object.is_marked()) {
    return attribute_at(object.unmarked(), position).with_marks(object.marks());
  }
  return Value::unknown(object.type().attributes()[position].type);
}

std::nullopt_t refuse(Diagnostics& diags, diag::SourceRange at, std::string summary,
                      std::string detail) {
  diags.error(std::move(summary)).detail(std::move(detail)).at(at);
  return std::nullopt;
}

std::nullopt_t no_such_attribute(const Value& from, std::string_view name, diag::SourceRange at,
                                 Diagnostics& diags) {
  const Type type = from.type();
  const std::string quoted = base::quote_go(name);
  std::string detail;
  if (type.kind() == TypeKind::Object) {
    detail = fmt::format("The object has no attribute {}.", quoted);
  } else if (type.kind() == TypeKind::List && type.element().kind() == TypeKind::Object) {
    detail = type.element().attribute_index(name)
                 ? fmt::format(
                       "This is a list of objects: each of them has an attribute {}, the "
                       "list has not. Take one element with an index, or all with [*].",
                       quoted)
                 : "This is a list of objects, and a list has no attributes. Take one element "
                   "with an index, or all with [*].";
  } else if (type.kind() == TypeKind::Set && type.element().kind() == TypeKind::Object) {
    detail =
        "This is a set of objects, and a set has no attributes. Take the attribute of every "
        "element with [*].";
  } else if (type.is_primitive()) {
    detail = fmt::format("A {} has no attributes.", friendly_name(type));
  } else {
    detail = fmt::format("A value of type {} has no attributes.", friendly_name(type));
  }
  return refuse(diags, at, "No such attribute", std::move(detail));
}

// Attribute names and map keys are NFC, as all strings are; a name in source need
// not be.
std::optional<Value> attribute(const Value& from, std::string_view name, diag::SourceRange at,
                               Diagnostics& diags) {
  if (from.is_null()) {
    return refuse(diags, at, "Attribute of a null value",
                  "The value is null, and null has no attributes.");
  }
  const Type type = from.type();
  if (type.kind() == TypeKind::Object) {
    auto position = type.attribute_index(name);
    if (!position && !base::is_nfc(name)) position = type.attribute_index(base::to_nfc(name));
    if (!position) return no_such_attribute(from, name, at, diags);
    return attribute_at(from, *position);
  }
  if (type.kind() == TypeKind::Map) {
    value::Marks marks;
    const auto map = strip_marks(from, marks);
    if (map.is_unknown()) return Value::unknown(type.element()).with_marks(marks);
    const Value* found = base::is_nfc(name) ? map.find(name) : map.find(base::to_nfc(name));
    if (found != nullptr) return found->with_marks(marks);
    return refuse(diags, at, "No such map element",
                  fmt::format("The map has no element with the key {}.", base::quote_go(name)));
  }
  if (type.is_dynamic()) return Value::unknown().with_marks(from.marks());
  return no_such_attribute(from, name, at, diags);
}

// Why a number is not an index of a sequence. Does not name the number: it may be
// a secret.
std::string bad_sequence_index(const Value& collection, const Value& key) {
  const value::Number number = key.plain().as_number();
  if (!number.is_integer()) {
    return "The index has a fractional part; elements are counted by whole numbers. Round a "
           "quotient with floor().";
  }
  if (number.sign() < 0) return "The index is negative; the first element has index 0.";
  const Value length = value::length(collection);
  if (length.kind() == Kind::Number && length.plain().as_number().sign() == 0) {
    return "There is no element with this index: the collection is empty.";
  }
  return "There is no element with this index: it is not less than the number of elements.";
}

std::optional<Value> index_sequence_or_map(const Value& collection, const Value& given,
                                           diag::SourceRange at, Diagnostics& diags) {
  const Type type = collection.type();
  const Type wanted = type.kind() == TypeKind::Map ? Type::string() : Type::number();
  Value key = given;
  if (key.type() != wanted) {
    auto converted = value::convert(given, wanted);
    if (!converted) {
      return refuse(
          diags, at, "Invalid index",
          fmt::format("The key does not fit this collection: {}.", to_string(converted.error())));
    }
    key = std::move(*converted);
  }
  const auto plain = collection.unmarked();
  const auto plain_key = key.unmarked();
  const Value has = value::has_index(plain, plain_key);
  if (has.is_unknown()) {
    return Value::unknown(type.kind() == TypeKind::Tuple ? Type::dynamic() : type.element())
        .with_marks(collection.marks());
  }
  if (has.plain().as_bool()) {
    return value::index(plain, plain_key).with_marks(collection.marks().with(key.marks()));
  }
  if (wanted == Type::number()) {
    return refuse(diags, at, "Invalid index", bad_sequence_index(plain, plain_key));
  }
  return refuse(diags, at, "Invalid index", "The map has no element with this key.");
}

std::optional<Value> index_object(const Value& object, const Value& given, diag::SourceRange at,
                                  Diagnostics& diags) {
  auto key = value::convert(given, Type::string());
  if (!key) {
    return refuse(diags, at, "Invalid index",
                  fmt::format("The key does not name an attribute of this object: {}.",
                              to_string(key.error())));
  }
  const auto plain = key->unmarked();
  if (!object.is_known() || plain.is_unknown()) {
    return Value::unknown().with_marks(object.marks());
  }
  const auto position = object.type().attribute_index(plain.as_string());
  if (position) return attribute_at(object, *position);
  return refuse(diags, at, "Invalid index",
                given.type() == Type::number()
                    ? "The object has no such attribute. Attributes are found by their names, not "
                      "by a position."
                    : "The object has no attribute of this name.");
}

}  // namespace

std::optional<Value> index(const Value& collection, const Value& key, diag::SourceRange at,
                           Diagnostics& diags) {
  if (collection.is_null()) {
    return refuse(diags, at, "Index of a null value",
                  "The value is null, and null has no elements.");
  }
  if (key.is_null()) {
    return refuse(diags, at, "Invalid index", "The key is null; an element cannot be found by it.");
  }
  const Type type = collection.type();
  if (key.type().is_dynamic() || type.is_dynamic()) {
    return Value::unknown().with_marks(collection.marks());
  }
  switch (type.kind()) {
    case TypeKind::List:
    case TypeKind::Tuple:
    case TypeKind::Map: return index_sequence_or_map(collection, key, at, diags);
    case TypeKind::Object: return index_object(collection, key, at, diags);
    case TypeKind::Set:
      return refuse(diags, at, "Invalid index",
                    "The elements of a set have no keys and no order, so one cannot be picked by "
                    "an index. Use a for expression over all, or tolist() for a sorted list.");
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: break;
  }
  return refuse(diags, at, "Invalid index",
                fmt::format("A value of type {} has no elements.", friendly_name(type)));
}

std::optional<Value> traverse(Value from, std::span<const TraversalStep> steps,
                              Diagnostics& diags) {
  for (const TraversalStep& step : steps) {
    std::optional<Value> next;
    switch (step.kind) {
      case StepKind::Attribute: next = attribute(from, step.name, step.range, diags); break;
      case StepKind::Index: next = index(from, *step.key, step.range, diags); break;
      case StepKind::Splat: base::broken_promise("a traversal that is followed has no splat");
    }
    if (!next) return std::nullopt;
    from = std::move(*next);
  }
  return from;
}

}  // namespace tofu::syntax
