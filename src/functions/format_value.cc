// One value as a format verb wants it.
#include <algorithm>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/json_text.h"
#include "base/unicode.h"
#include "functions/format_text.h"
#include "value/convert.h"
#include "value/json.h"
#include "value/number.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using base::Error;
using base::Result;
using value::Kind;
using value::Number;
using value::Type;
using value::Value;

Result<std::string> pad_text(const FormatVerb& verb, std::string text) {
  if (!verb.width) return text;
  if (*verb.width > value::kMaxTextSize) return Error{value::text_too_long()};
  const std::size_t length = base::count_graphemes(text);
  if (length >= *verb.width) return text;
  const std::string padding(*verb.width - length, verb.zero ? '0' : ' ');
  return verb.minus ? text + padding : padding + text;
}

Result<Value> converted(const Value& v, Type type) {
  auto result = value::convert(v, type);
  if (!result) return Error{to_string(result.error())};
  return *std::move(result);
}

Result<std::string> as_is(const FormatVerb& verb, const Value& v) {
  if (!verb.sharp && v.kind() == Kind::String)
    return pad_text(verb, std::string(v.plain().as_string()));
  if (!verb.sharp && v.kind() == Kind::Number)
    return pad_text(verb, v.plain().as_number().text('g', -1));
  auto json = value::to_json(v);
  if (!json) return Error{to_string(json.error())};
  return pad_text(verb, *std::move(json));
}

Result<std::string> as_bool(const Value& v) {
  const Result<Value> truth = converted(v, Type::boolean());
  if (!truth) return truth.error();
  return std::string(truth->plain().as_bool() ? "true" : "false");
}

Result<std::string> as_text(const FormatVerb& verb, const Value& v) {
  const Result<Value> string = converted(v, Type::string());
  if (!string) return string.error();
  std::string_view text = string->plain().as_string();
  if (verb.precision.value_or(0) > 0) {
    std::size_t bytes = 0;
    for (std::uint64_t i = 0; i < *verb.precision && bytes < text.size(); ++i) {
      bytes += base::first_grapheme(text.substr(bytes));
    }
    text = text.substr(0, bytes);
  }
  if (verb.letter == 's') return pad_text(verb, std::string(text));
  std::string quoted;
  base::append_json_string(quoted, text);
  return pad_text(verb, std::move(quoted));
}

// The parts of a number that padding goes between.
struct NumberText {
  std::string sign;
  std::string digits;  // with a prefix such as 0x
  bool zeros_allowed = true;
};

std::string pad_number(const FormatVerb& verb, const NumberText& number, bool minus_wins) {
  const std::size_t length = number.sign.size() + number.digits.size();
  const std::uint64_t width = verb.width.value_or(0);
  const std::size_t padding = width > length ? width - length : 0;
  if (verb.minus && minus_wins) return number.sign + number.digits + std::string(padding, ' ');
  if (verb.zero && number.zeros_allowed) {
    return number.sign + std::string(padding, '0') + number.digits;
  }
  if (verb.minus) return number.sign + number.digits + std::string(padding, ' ');
  return std::string(padding, ' ') + number.sign + number.digits;
}

std::string sign_of(const FormatVerb& verb, bool negative) {
  if (negative) return "-";
  if (verb.plus) return "+";
  return verb.space ? " " : "";
}

int base_of(char letter) {
  if (letter == 'b') return 2;
  if (letter == 'o') return 8;
  return letter == 'd' ? 10 : 16;
}

std::string_view prefix_of(const FormatVerb& verb) {
  if (!verb.sharp || verb.letter == 'd') return "";
  if (verb.letter == 'o') return "0";
  if (verb.letter == 'b') return "0b";
  return verb.letter == 'x' ? "0x" : "0X";
}

Result<std::string> as_integer(const FormatVerb& verb, const Number& number) {
  if (number.is_infinite() || !number.is_integer()) return Error{"a whole number is required"};
  std::string digits = number.absolute().integer_text(base_of(verb.letter));
  if (verb.letter == 'X') {
    for (char& digit : digits) {
      if (digit >= 'a') digit = static_cast<char>(digit - 'a' + 'A');
    }
  }
  if (digits == "0" && verb.precision == 0) return std::string();
  const std::uint64_t wanted = verb.precision.value_or(0);
  if (wanted > digits.size()) digits.insert(0, wanted - digits.size(), '0');
  // Go pads with zeros between prefix and digits, so the prefix counts as sign.
  return pad_number(verb,
                    {sign_of(verb, number.sign() < 0).append(prefix_of(verb)), std::move(digits),
                     !verb.precision},
                    true);
}

std::string as_floating(const FormatVerb& verb, const Number& number) {
  int digits = verb.precision ? static_cast<int>(*verb.precision) : 6;
  if (!verb.precision && (verb.letter == 'g' || verb.letter == 'G')) digits = -1;
  std::string text = number.text(verb.letter, digits);
  std::string sign;
  if (text.starts_with('-')) {
    sign = "-";
    text.erase(0, 1);
  } else if (text.starts_with('+')) {  // only +Inf has one of its own
    sign = verb.space ? " " : "+";
    text.erase(0, 1);
  } else {
    sign = sign_of(verb, false);
  }
  return pad_number(verb, {std::move(sign), std::move(text), !number.is_infinite()}, false);
}

// Go's own formatter gives up on a count of eight digits or so and says it in
// the result instead of failing; OpenTofu hands that through.
bool too_large_for_go(const std::optional<std::uint64_t>& count) {
  return count && *count / 10 > 1'000'000;
}

Result<std::string> as_number(const FormatVerb& verb, const Value& v) {
  const Result<Value> converted_value = converted(v, Type::number());
  if (!converted_value) return converted_value.error();
  const Number number = converted_value->plain().as_number();
  const bool integer = std::string_view("bdoxX").find(verb.letter) != std::string_view::npos;
  const bool hopeless = too_large_for_go(verb.width) || too_large_for_go(verb.precision);
  if (!integer) {
    if (hopeless) return fmt::format("%!(NOVERB)%!(EXTRA *big.Float={})", number.text('g', -1));
    return as_floating(verb, number);
  }
  if (hopeless && number.is_integer()) {
    return fmt::format("%!(NOVERB)%!(EXTRA *big.Int={})", number.integer_text(10));
  }
  return as_integer(verb, number);
}

}  // namespace

Result<std::string> format_value(const FormatVerb& verb, const Value& v) {
  if (verb.letter != 'v' && v.is_null()) return Error{"a null cannot be formatted so"};
  switch (verb.letter) {
    case 'v': return as_is(verb, v);
    case 't': return as_bool(v);
    case 's':
    case 'q': return as_text(verb, v);
    case 'b':
    case 'd':
    case 'o':
    case 'x':
    case 'X':
    case 'e':
    case 'E':
    case 'f':
    case 'g':
    case 'G': return as_number(verb, v);
    default: return Error{fmt::format("the verb %{} does not exist", verb.letter)};
  }
}

}  // namespace tofu::functions
