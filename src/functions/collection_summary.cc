// One value out of many: counting, summing, choosing.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <utility>
#include <vector>

#include "base/unicode.h"
#include "functions/arguments.h"
#include "functions/collection.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "value/convert.h"
#include "value/number.h"
#include "value/operations.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Number;
using value::Type;
using value::TypeKind;
using value::Value;

CallResult<Type> length_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.is_dynamic() || type.is_collection() || type.is_structural() || type == Type::string()) {
    return Type::number();
  }
  return call_error("only strings, collections, tuples and objects have a length");
}

Value string_length(const Value& text) {
  if (text.is_known()) {
    return Value::integer(
        static_cast<std::int64_t>(base::count_graphemes(text.plain().as_string())));
  }
  // However the string goes on, it is not shorter than what is known of it.
  value::Refinements limits;
  limits.not_null = true;
  limits.lower = value::Bound{
      Number(static_cast<std::int64_t>(base::count_graphemes(text.plain().refinements().prefix))),
      true};
  return Value::unknown(Type::number()).refined(limits);
}

CallResult<Value> length(Arguments arguments, Type) {
  const auto& subject = arguments[0].unmarked();
  const Type type = subject.type();
  Value result = Value::unknown(Type::number());
  if (type.kind() == TypeKind::Tuple) {
    result = Value::integer(static_cast<std::int64_t>(type.elements().size()));
  } else if (type.kind() == TypeKind::Object) {
    result = Value::integer(static_cast<std::int64_t>(type.attributes().size()));
  } else if (type.kind() == TypeKind::String) {
    result = string_length(subject);
  } else if (type.is_collection()) {
    result = value::length(subject);
  }
  return result.with_marks(arguments[0].marks());
}

CallResult<Value> all_true(Arguments arguments, Type) {
  for (const Value& item : arguments[0].plain().items()) {
    if (item.is_unknown()) return Value::unknown(Type::boolean());
    if (item.is_null() || !item.plain().as_bool()) return Value::boolean(false);
  }
  return Value::boolean(true);
}

CallResult<Value> any_true(Arguments arguments, Type) {
  bool undecided = false;
  for (const Value& item : arguments[0].plain().items()) {
    if (item.is_unknown()) {
      undecided = true;
    } else if (!item.is_null() && item.plain().as_bool()) {
      return Value::boolean(true);
    }
  }
  return undecided ? Value::unknown(Type::boolean()) : Value::boolean(false);
}

CallResult<Type> coalesce_type(Arguments arguments) {
  std::vector<Type> types;
  for (const Value& argument : arguments) types.push_back(argument.type());
  const auto common = types.empty() ? std::nullopt : unify(types, value::Safety::AllowUnsafe);
  if (!common) {
    return call_error("the arguments need to be of one type, or of types that convert to one");
  }
  return *common;
}

CallResult<Value> coalesce(Arguments arguments, Type type) {
  for (const Value& argument : arguments) {
    // A value that refuses the common type counts as missing; OpenTofu does so too.
    const auto converted = value::convert(argument, type);
    if (!converted) continue;
    if (converted->is_unknown()) return Value::unknown(type);
    if (converted->is_null()) continue;
    if (type == Type::string() && converted->plain().as_string().empty()) continue;
    return *converted;
  }
  return call_error("all arguments are null or empty strings");
}

CallResult<Type> coalesce_list_type(Arguments arguments) {
  if (arguments.empty()) return call_error("at least one argument is required");
  for (const Value& argument : arguments) {
    if (argument.is_unknown()) return Type::dynamic();
    if (!is_list_or_tuple(argument.type())) {
      return call_error("all arguments must be lists or tuples");
    }
  }
  const Type first = arguments[0].type();
  const bool same = std::ranges::all_of(
      arguments, [&](const Value& argument) { return argument.type() == first; });
  return same ? first : Type::dynamic();
}

CallResult<Value> coalesce_list(Arguments arguments, Type type) {
  for (const Value& argument : arguments) {
    if (argument.is_unknown()) return Value::unknown(type);
    if (!argument.is_null() && argument.plain().size() != 0) return argument;
  }
  return call_error("all arguments are null or empty");
}

CallError not_at_most_one() {
  return argument_error(0, "a list, set or tuple of no more than one element is required");
}

CallResult<Type> one_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::List || type.kind() == TypeKind::Set) return type.element();
  if (type.kind() == TypeKind::Tuple && type.elements().size() < 2) {
    return type.elements().empty() ? Type::dynamic() : type.elements()[0];
  }
  return not_at_most_one();
}

CallResult<Value> one(Arguments arguments, Type type) {
  const Value& sequence = arguments[0];
  if (value::length(sequence).is_unknown()) return Value::unknown(type);
  if (sequence.plain().size() == 0) return Value::null(type);
  if (sequence.plain().size() == 1) return sequence.plain().items()[0];
  return not_at_most_one();
}

CallResult<Value> sum(Arguments arguments, Type) {
  const Value& numbers = arguments[0];
  const Type type = numbers.type();
  if (!type.is_collection() && !type.is_structural()) {
    return argument_error(0, "a list, set or tuple of numbers is required");
  }
  if (numbers.plain().size() == 0) return argument_error(0, "the list is empty");
  if (!is_sequence(type)) {
    return argument_error(
        0, fmt::format("a list, set or tuple is required, not {}", friendly_name(type)));
  }
  if (!numbers.wholly_known()) return Value::unknown(Type::number());

  std::optional<Number> total;
  for (const Value& item : numbers.plain().items()) {
    const auto number = value::convert(item, Type::number());
    if (!number || number->is_null()) {
      return argument_error(0, "all elements must be numbers and not null");
    }
    if (!total) {
      total = number->plain().as_number();
      continue;
    }
    auto added = checked_add(*total, number->plain().as_number());
    if (!added) return call_error("positive and negative infinity cannot be added");
    total = *std::move(added);
  }
  return Value::number(*std::move(total));
}

}  // namespace

void add_summary(List& list) {
  const Type any = Type::dynamic();
  const Type boolean = Type::boolean();
  constexpr Accepts kEarly{.null = true, .unknown = true, .dynamic = true};
  define(list, "alltrue", "Whether all elements of a list are true. An empty list passes.")
      .takes("list", Type::list(boolean))
      .gives(boolean)
      .as(all_true);
  define(list, "anytrue", "Whether any element of a list is true.")
      .takes("list", Type::list(boolean))
      .gives(boolean)
      .as(any_true);
  define(list, "coalesce", "The first argument that is neither null nor an empty string.")
      .takes_many("vals", any, kEarly)
      .gives(coalesce_type)
      .as(coalesce);
  define(list, "coalescelist", "The first of the given lists that is neither null nor empty.")
      .takes_many("vals", any, kEarly, "Lists or tuples, tried in this order.")
      .gives(coalesce_list_type)
      .as(coalesce_list);
  define(list, "length",
         "The number of elements of a collection, of attributes of an object, or of characters "
         "of a string.")
      .takes("value", any, {.unknown = true, .dynamic = true, .marked = true})
      .gives(length_type)
      .as(length);
  define(list, "one",
         "The only element of a list, set or tuple, or null if it is empty. More than one element "
         "is an error.")
      .takes("list", any)
      .gives(one_type)
      .may_give_null()
      .as(one);
  define(list, "sum", "The sum of the numbers in a list, set or tuple.")
      .takes("list", any)
      .gives(Type::number())
      .as(sum);
}

}  // namespace tofu::functions
