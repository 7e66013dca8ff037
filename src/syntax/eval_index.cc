// Attributes and indices: `.a`, `[0]`, `["k"]` on values that are already there.
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/suggest.h"
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
    std::vector<std::string_view> names;
    for (const value::ObjectAttribute& attribute : type.attributes())
      names.push_back(attribute.name);
    detail = fmt::format("This object does not have an attribute named {}.{}", quoted,
                         base::did_you_mean(name, names));
  } else if (type.kind() == TypeKind::List && type.element().kind() == TypeKind::Object) {
    detail = type.element().attribute_index(name)
                 ? fmt::format(
                       "This value is a list of objects. To get the attribute {} of one element, "
                       "write an index; of all elements, write [*].",
                       quoted)
                 : "This value is a list of objects, and a list has no attributes. To select one "
                   "element, write an index; to select all, write [*].";
  } else if (type.kind() == TypeKind::Set && type.element().kind() == TypeKind::Object) {
    detail =
        "This value is a set of objects, and a set has no attributes. To get an attribute of every "
        "element, write [*].";
  } else if (type.is_primitive()) {
    detail = fmt::format("A {} has no attributes.", friendly_name(type));
  } else {
    detail = fmt::format("A value of type {} has no attributes.", friendly_name(type));
  }
  return refuse(diags, at, "Unsupported attribute", std::move(detail));
}

// Attribute names and map keys are NFC, as all strings are; a name in source need
// not be.
std::optional<Value> attribute(const Value& from, std::string_view name, diag::SourceRange at,
                               Diagnostics& diags) {
  if (from.is_null()) {
    return refuse(diags, at, "Attempt to get attribute from null value",
                  "This value is null, so it does not have any attributes.");
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
    return refuse(
        diags, at, "Missing map element",
        fmt::format("This map does not have an element with the key {}.", base::quote_go(name)));
  }
  if (type.is_dynamic()) return Value::unknown().with_marks(from.marks());
  return no_such_attribute(from, name, at, diags);
}

// Why a number is not an index of a sequence. Does not name the number: it may be
// a secret.
std::string bad_sequence_index(const Value& collection, const Value& key) {
  const value::Number number = key.plain().as_number();
  if (!number.is_integer()) {
    return "The index has a fractional part. Indexes are whole numbers; round a quotient with "
           "floor().";
  }
  if (number.sign() < 0) return "The index is negative. The first element has index 0.";
  const Value length = value::length(collection);
  if (length.kind() == Kind::Number && length.plain().as_number().sign() == 0) {
    return "The index is out of range: the collection is empty.";
  }
  return "The index is out of range: it must be less than the number of elements.";
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
          fmt::format("Invalid key for this collection: {}.", to_string(converted.error())));
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
  return refuse(diags, at, "Invalid index",
                "The given key does not identify an element of this map.");
}

std::optional<Value> index_object(const Value& object, const Value& given, diag::SourceRange at,
                                  Diagnostics& diags) {
  auto key = value::convert(given, Type::string());
  if (!key) {
    return refuse(diags, at, "Invalid index",
                  fmt::format("The key must be an attribute name of this object: {}.",
                              to_string(key.error())));
  }
  const auto plain = key->unmarked();
  if (!object.is_known() || plain.is_unknown()) {
    return Value::unknown().with_marks(object.marks());
  }
  const auto position = object.type().attribute_index(plain.as_string());
  if (position) return attribute_at(object, *position);
  return refuse(
      diags, at, "Invalid index",
      given.type() == Type::number()
          ? "This object has no such attribute. Attributes are selected by name, not by position."
          : "This object has no attribute with this name.");
}

}  // namespace

std::optional<Value> index(const Value& collection, const Value& key, diag::SourceRange at,
                           Diagnostics& diags) {
  if (collection.is_null()) {
    return refuse(diags, at, "Attempt to index null value",
                  "This value is null, so it does not have any elements.");
  }
  if (key.is_null()) {
    return refuse(diags, at, "Invalid index", "The key is null. Use a string or number.");
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
                    "Elements of a set have no keys and no order. Iterate over the set with a "
                    "'for' expression, or convert it to a sorted list with tolist().");
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::String:
    case TypeKind::Capsule: break;
  }
  return refuse(diags, at, "Invalid index",
                fmt::format("A value of type {} does not have any elements.", friendly_name(type)));
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
