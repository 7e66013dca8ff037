// Conversions to a type, and what is said about types.
#include "functions/conversion.h"

#include <fmt/format.h>
#include <memory>
#include <string>
#include <string_view>

#include "base/unicode.h"
#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "value/convert.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Marks;
using value::Type;
using value::Value;

CallError cannot_convert(std::string_view what, Type to) {
  return argument_error(
      0, fmt::format("{} cannot be converted to {}", what, friendly_constraint_name(to)));
}

CallResult<Type> conversion_type(Arguments arguments, Type to) {
  const Type from = arguments[0].type();
  if (!can_convert(from, to, value::Safety::AllowUnsafe)) {
    return cannot_convert(friendly_name(from), to);
  }
  return to;
}

// The type allowed it, but this very value does not convert.
CallError refused(const Value& v, Type to) {
  const Marks marks = v.deep_marks();
  const Type from = v.type();
  if (marks.is_ephemeral() || marks.is_sensitive()) {
    return cannot_convert(
        fmt::format("this {} {}", marks.is_ephemeral() ? "ephemeral" : "sensitive",
                    friendly_name(from)),
        to);
  }
  const auto& inside = v.unmarked();
  if (inside.kind() != Kind::String) return cannot_convert(friendly_name(from), to);
  const std::string_view hint = to == Type::boolean()  ? "; only \"true\" and \"false\" can"
                                : to == Type::number() ? "; only decimal numbers can"
                                                       : "";
  CallError error = cannot_convert(base::quote_go(inside.as_string()), to);
  error.what += hint;
  return error;
}

CallResult<Value> convert_to(Arguments arguments, Type to) {
  auto converted = value::convert(arguments[0], to);
  if (!converted) return refused(arguments[0], to);
  return *std::move(converted);
}

void add_to_functions(List& list) {
  const Type any = Type::dynamic();
  const struct {
    std::string_view name;
    std::string_view description;
    Type to;
  } conversions[] = {
      {"tobool", "Converts a value to a bool.", Type::boolean()},
      {"tolist", "Converts a value to a list.", Type::list(any)},
      {"tomap", "Converts a value to a map.", Type::map(any)},
      {"tonumber", "Converts a value to a number.", Type::number()},
      {"toset", "Converts a value to a set, which has no order and no duplicates.", Type::set(any)},
      {"tostring", "Converts a value to a string.", Type::string()},
  };
  for (const auto& conversion : conversions) {
    define(list, conversion.name, conversion.description)
        .takes("v", any, {.null = true, .dynamic = true, .marked = true})
        .gives([to = conversion.to](Arguments arguments) { return conversion_type(arguments, to); })
        .may_give_null()
        .as(convert_to);
  }
}

// Names from the very old language that still get an answer.
void add_gone(List& list) {
  const struct {
    std::string_view name;
    std::string_view description;
    std::string_view instead;
  } gone[] = {
      {"list", "Removed: use tolist([...]).", "tolist([...])"},
      {"map", "Removed: use tomap({...}).", "tomap({...})"},
  };
  for (const auto& function : gone) {
    const auto fail = [what = fmt::format("this function was removed; write {} instead",
                                          function.instead)] { return call_error(what); };
    define(list, function.name, function.description)
        .takes_many("vals", Type::dynamic(), {.null = true, .unknown = true, .dynamic = true})
        .gives([fail](Arguments) -> CallResult<Type> { return fail(); })
        .may_give_null()
        .as([fail](Arguments, Type) -> CallResult<Value> { return fail(); });
  }
}

}  // namespace

void add_conversion(List& list, const Environment& environment) {
  add_to_functions(list);
  add_assume(list);
  add_lazy(list);
  add_gone(list);
  if (!environment.console) return;
  const Type type_of_types = Type::capsule("type");
  define(list, "type", "The type of a value. Only the console has this function.")
      .takes("value", Type::dynamic(), {.null = true, .unknown = true, .dynamic = true})
      .gives(type_of_types)
      .may_give_null()
      .as([type_of_types](Arguments arguments, Type) -> CallResult<Value> {
        return Value::capsule(type_of_types, std::make_shared<const Type>(arguments[0].type()));
      });
}

}  // namespace tofu::functions
