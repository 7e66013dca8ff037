// Promises about values that are not known yet: the assume… functions.
//
// Each narrows an unknown by what it promises. When the value is known, it must
// keep the promise, or the call is an error.
#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "functions/arguments.h"
#include "functions/conversion.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "value/convert.h"
#include "value/operations.h"
#include "value/refinement.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Marks;
using value::Number;
using value::Refinements;
using value::Type;
using value::TypeKind;
using value::Value;

CallError broken_assumption(std::string_view what) { return argument_error(0, std::string(what)); }

CallResult<Value> narrow(const Value& unknown, const Refinements& promise,
                         std::string_view broken) {
  if (!narrowed(unknown.plain().refinements(), promise)) return broken_assumption(broken);
  return unknown.refined(promise);
}

Marks lasting(Marks marks) { return marks.without_sensitive().without_ephemeral(); }

// `to` with the marks of `from` at the same places. Where nesting is deeper than
// anybody writes, all marks below go to the place reached.
constexpr int kMaxDepth = 500;

Value with_marks_of(const Value& from, const Value& to, int depth) {
  if (!from.contains_marks()) return to;
  if (depth == kMaxDepth) return to.with_marks(lasting(from.deep_marks()));
  const auto& source = from.unmarked();
  const auto& target = to.unmarked();
  const Marks marks = to.marks().with(lasting(from.marks()));
  if (source.kind() != target.kind() || source.type() != target.type() ||
      !(source.type().is_structural() || source.type().is_collection()) || source.is_null() ||
      source.is_unknown() || source.type().kind() == TypeKind::Set ||
      source.size() != target.size()) {
    return target.with_marks(marks);
  }
  std::vector<Value> items;
  for (std::size_t i = 0; i < target.size(); ++i) {
    items.push_back(with_marks_of(source.items()[i], target.items()[i], depth + 1));
  }
  const Type type = target.type();
  Value result;
  if (type.kind() == TypeKind::Object) {
    result = Value::object(type, std::move(items));
  } else if (type.kind() == TypeKind::Tuple) {
    result = Value::tuple(std::move(items));
  } else if (type.kind() == TypeKind::Map) {
    result = Value::map(type.element(), {target.map_keys().begin(), target.map_keys().end()},
                        std::move(items));
  } else {
    result = Value::list(type.element(), std::move(items));
  }
  return result.with_marks(marks);
}

CallResult<Type> assume_equal_type(Arguments arguments) { return arguments[1].type(); }

CallResult<Value> assume_equal(Arguments arguments, Type type) {
  const auto actual = value::convert(arguments[0], type);
  if (!actual) {
    return argument_error(0, fmt::format("its type {} does not match the expected type {}",
                                         friendly_name(arguments[0].type()), friendly_name(type)));
  }
  const auto& equal = value::equals(*actual, arguments[1]).unmarked();
  if (equal.is_known() && !equal.as_bool()) {
    return broken_assumption("the actual value is not equal to the expected one");
  }
  // Where a value came from is not forgotten. Its being secret is no matter: the
  // expected value is the author's own and equal.
  return with_marks_of(*actual, arguments[1], 0);
}

CallResult<Value> assume_not_null(Arguments arguments, Type) {
  const Value& v = arguments[0];
  if (v.type().is_dynamic()) {
    return argument_error(0, "the type of the value must be known; set it with convert()");
  }
  if (v.is_null()) return broken_assumption("it is assumed not to be null, but it is null");
  return v.refined_not_null();
}

CallResult<Value> assume_string_prefix(Arguments arguments, Type) {
  const Value& v = arguments[0];
  const std::string_view prefix = arguments[1].plain().as_string();
  constexpr std::string_view kBroken = "it does not start with the assumed prefix";
  if (v.is_unknown()) {
    Refinements start;
    start.prefix = value::safe_prefix(prefix);
    return narrow(v, start, kBroken);
  }
  if (!v.is_null() && !v.plain().as_string().starts_with(prefix)) return broken_assumption(kBroken);
  return v;
}

// The bounds that a length function was given.
struct Bounds {
  std::optional<std::int64_t> min;
  std::optional<std::int64_t> max;
};

CallResult<Value> assume_length(const Value& v, Bounds bounds) {
  constexpr std::string_view kBroken = "its length is outside the assumed bounds";
  const auto min = static_cast<std::uint64_t>(std::max<std::int64_t>(bounds.min.value_or(0), 0));
  if (v.is_null() || bounds.max.value_or(0) < 0) return broken_assumption(kBroken);
  if (v.is_unknown()) {
    Refinements promise;
    promise.length_min = min;
    if (bounds.max) promise.length_max = static_cast<std::uint64_t>(*bounds.max);
    return narrow(v, promise, kBroken);
  }
  // A set with unknowns in it may have no certain length.
  const Value length = value::length(v);
  const auto surely = [](const Value& answer) {
    return answer.is_known() && answer.plain().as_bool();
  };
  if (surely(value::less_than(length, Value::integer(static_cast<std::int64_t>(min)))) ||
      (bounds.max && surely(value::greater_than(length, Value::integer(*bounds.max))))) {
    return broken_assumption(kBroken);
  }
  return v;
}

// A bound as a number, or an error at the position that OpenTofu names for it:
// its own, unless it is the only bound.
CallResult<std::int64_t> bound(Arguments arguments, std::size_t position) {
  const std::optional<std::int64_t> number = whole(arguments[position]);
  if (number && *number < std::numeric_limits<std::int64_t>::max()) return *number;
  return argument_error(arguments.size() == 3 ? position : 0,
                        "a length must be a whole number and not negative");
}

CallResult<Value> assume_length_min(Arguments arguments, Type) {
  const CallResult<std::int64_t> min = bound(arguments, 1);
  if (!min) return min.error();
  return assume_length(arguments[0], {.min = *min, .max = std::nullopt});
}

CallResult<Value> assume_length_max(Arguments arguments, Type) {
  const CallResult<std::int64_t> max = bound(arguments, 1);
  if (!max) return max.error();
  return assume_length(arguments[0], {.min = std::nullopt, .max = *max});
}

CallResult<Value> assume_length_between(Arguments arguments, Type) {
  const CallResult<std::int64_t> min = bound(arguments, 1);
  if (!min) return min.error();
  const CallResult<std::int64_t> max = bound(arguments, 2);
  if (!max) return max.error();
  if (*min > *max) return broken_assumption("no length is within the assumed bounds");
  return assume_length(arguments[0], {.min = *min, .max = *max});
}

constexpr Accepts kLater{.null = true, .unknown = true, .dynamic = true};

Definition promise(List& list, const std::string& name, const std::string& description, Type type) {
  return define(list, name, description)
      .takes("value", type, kLater, "The value that the assumption is about.")
      .gives(type)
      .may_give_null();
}

void add_length_promises(List& list, const std::string& noun, Type type) {
  const std::string name = "assume" + noun + "length";
  const std::string start = fmt::format("The given {}, whose length is assumed to be ", noun);
  const Type number = Type::number();
  promise(list, name, start + "within two bounds.", type)
      .takes("min_length", number, {}, "The smallest length it can have.")
      .takes("max_length", number, {}, "The greatest length it can have.")
      .as(assume_length_between);
  promise(list, name + "max", start + "at most the given number.", type)
      .takes("max_length", number, {}, "The greatest length it can have.")
      .as(assume_length_max);
  promise(list, name + "min", start + "at least the given number.", type)
      .takes("min_length", number, {}, "The smallest length it can have.")
      .as(assume_length_min);
}

}  // namespace

void add_assume(List& list) {
  const Type any = Type::dynamic();
  define(list, "assumeequal", "The second value, which the first is assumed to be equal to.")
      .takes("actual_value", any, kAnything, "The value that the assumption is about.")
      .takes("expected_value", any, kAnything, "The value it is assumed to equal.")
      .gives(assume_equal_type)
      .may_give_null()
      .as(assume_equal);
  promise(list, "assumenotnull", "The given value, which is assumed not to be null.", any)
      .as(assume_not_null);
  promise(list, "assumestringprefix",
          "The given string, which is assumed to start with the given text.", Type::string())
      .takes("prefix", Type::string(), {}, "How the string is assumed to start.")
      .as(assume_string_prefix);
  add_length_promises(list, "list", Type::list(any));
  add_length_promises(list, "map", Type::map(any));
  add_length_promises(list, "set", Type::set(any));
}

}  // namespace tofu::functions
