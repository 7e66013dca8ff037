// Functions on numbers.
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <string>

#include "functions/arguments.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "functions/float64.h"
#include "value/number.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Number;
using value::Type;
using value::Value;

CallResult<Value> absolute(Arguments arguments, Type) {
  const auto& number = arguments[0].unmarked();
  return Value::number(number.as_number().absolute()).with_marks(arguments[0].marks());
}

CallResult<Value> ceil(Arguments arguments, Type) {
  return Value::number(arguments[0].plain().as_number().ceil());
}

CallResult<Value> floor(Arguments arguments, Type) {
  return Value::number(arguments[0].plain().as_number().floor());
}

// log and pow: both operands and the result are 64-bit floating point.
template <class Calculate>
CallResult<Value> in_floating_point(Arguments arguments, Calculate calculate) {
  const CallResult<double> first = floating(arguments[0]);
  if (!first) return first.error();
  const CallResult<double> second = floating(arguments[1]);
  if (!second) return second.error();
  const double result = calculate(*first, *second);
  if (std::isnan(result)) {
    return call_error("the result is not a number for these arguments");
  }
  return Value::number(Number::from_double(result));
}

CallResult<Value> logarithm(Arguments arguments, Type) {
  return in_floating_point(
      arguments, [](double number, double base) { return go_log(number) / go_log(base); });
}

CallResult<Value> power(Arguments arguments, Type) { return in_floating_point(arguments, go_pow); }

// The first of the arguments that none of the others is better than.
template <class Better>
CallResult<Value> best(Arguments arguments, bool worst_is_negative, Better better) {
  if (arguments.empty()) return call_error("at least one number is required");
  const Value* found = nullptr;
  Number limit = Number::infinity(worst_is_negative);
  for (const Value& argument : arguments) {
    if (!better(argument.plain().as_number(), limit)) continue;
    limit = argument.plain().as_number();
    found = &argument;
  }
  return found != nullptr ? *found : Value::number(limit);
}

CallResult<Value> maximum(Arguments arguments, Type) {
  return best(arguments, true, [](const Number& a, const Number& b) { return a > b; });
}

CallResult<Value> minimum(Arguments arguments, Type) {
  return best(arguments, false, [](const Number& a, const Number& b) { return a < b; });
}

CallResult<Value> signum(Arguments arguments, Type) {
  const std::optional<std::int64_t> number = whole(arguments[0]);
  if (!number) return call_error(not_whole());
  return Value::integer((*number > 0) - (*number < 0));
}

CallResult<Type> parse_integer_type(Arguments arguments) {
  if (arguments[0].type() != Type::string()) {
    return argument_error(
        0, fmt::format("a string is required, not {}", friendly_name(arguments[0].type())));
  }
  return Type::number();
}

CallResult<Value> parse_integer(Arguments arguments, Type) {
  const std::optional<std::int64_t> base = whole(arguments[1]);
  if (!base) return argument_error(1, not_whole());
  if (*base < 2 || *base > 62) {
    return argument_error(1, "the base must be a whole number from 2 to 62");
  }
  const std::string_view digits = arguments[0].plain().as_string();
  const auto number = Number::parse_integer(digits, static_cast<int>(*base));
  if (!number) {
    return argument_error(0, fmt::format("it is not a whole number in base {}", *base));
  }
  return Value::number(*number);
}

}  // namespace

void add_numeric(List& list) {
  const Type number = Type::number();
  define(list, "abs", "The given number without its sign.")
      .takes("num", number, {.dynamic = true, .marked = true})
      .gives(number)
      .as(absolute);
  define(list, "ceil", "The smallest whole number that is not less than the given one.")
      .takes("num", number)
      .gives(number)
      .as(ceil);
  define(list, "floor", "The largest whole number that is not greater than the given one.")
      .takes("num", number)
      .gives(number)
      .as(floor);
  define(list, "log", "The logarithm of a number in a given base.")
      .takes("num", number)
      .takes("base", number)
      .gives(number)
      .as(logarithm);
  define(list, "max", "The greatest of the given numbers.")
      .takes_many("numbers", number, {.dynamic = true})
      .gives(number)
      .as(maximum);
  define(list, "min", "The smallest of the given numbers.")
      .takes_many("numbers", number, {.dynamic = true})
      .gives(number)
      .as(minimum);
  define(list, "parseint", "Reads a string as a whole number in the given base, from 2 to 62.")
      .takes("number", Type::dynamic())
      .takes("base", number)
      .gives(parse_integer_type)
      .as(parse_integer);
  define(list, "pow", "A number raised to a power.")
      .takes("num", number)
      .takes("power", number)
      .gives(number)
      .as(power);
  define(list, "signum", "The sign of a whole number: -1, 0 or 1.")
      .takes("num", number)
      .gives(number)
      .as(signum);
}

}  // namespace tofu::functions
