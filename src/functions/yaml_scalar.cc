#include "functions/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <optional>

#include "base/ascii.h"
#include "base/base64.h"
#include "functions/timestamp.h"

namespace tofu::functions {

namespace {

using value::Number;
using value::Type;
using value::Value;

enum class Tag : std::uint8_t { None, Str, Bool, Int, Float, Null, Timestamp, Binary };

std::optional<Tag> known_tag(std::string_view tag) {
  constexpr std::string_view kPrefix = "tag:yaml.org,2002:";
  constexpr std::array<std::pair<std::string_view, Tag>, 7> kTags{{{"str", Tag::Str},
                                                                   {"bool", Tag::Bool},
                                                                   {"int", Tag::Int},
                                                                   {"float", Tag::Float},
                                                                   {"null", Tag::Null},
                                                                   {"timestamp", Tag::Timestamp},
                                                                   {"binary", Tag::Binary}}};
  if (tag.empty()) return Tag::None;
  if (!tag.starts_with(kPrefix)) return std::nullopt;
  for (const auto& [name, known] : kTags) {
    if (tag.substr(kPrefix.size()) == name) return known;
  }
  return std::nullopt;
}

// A word in one of its three spellings: word, Word, WORD.
bool is_word(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  if (text == lower) return true;
  // The first letter may stand after a sign and a period.
  const std::size_t first = lower.find_first_of("abcdefghijklmnopqrstuvwxyz");
  if (first == std::string_view::npos || text.substr(0, first) != lower.substr(0, first) ||
      text[first] != base::ascii_upper(lower[first])) {
    return false;
  }
  const std::string_view rest = lower.substr(first + 1);
  return text.substr(first + 1) == rest || text.substr(first + 1) == base::ascii_upper(rest);
}

std::optional<bool> bool_word(std::string_view text) {
  for (const std::string_view word : {"y", "yes", "true", "on"}) {
    if (is_word(text, word)) return true;
  }
  for (const std::string_view word : {"n", "no", "false", "off"}) {
    if (is_word(text, word)) return false;
  }
  return std::nullopt;
}

std::optional<Value> word(std::string_view text) {
  if (const auto truth = bool_word(text)) return Value::boolean(*truth);
  if (text.empty() || text == "~" || is_word(text, "null")) return Value::null();
  if (is_word(text, ".inf") || is_word(text, "+.inf")) return Value::number(Number::infinity());
  if (is_word(text, "-.inf")) return Value::number(Number::infinity(true));
  return std::nullopt;
}

bool is_nan(std::string_view text) { return text == ".nan" || text == ".NaN" || text == ".NAN"; }

bool all_of(std::string_view text, std::string_view digits) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

constexpr std::string_view kDecimal = "0123456789";

std::size_t count_digits(std::string_view text) {
  return std::min(text.find_first_not_of(kDecimal), text.size());
}

// [-+]?digits, 0o and octal digits, 0x and hexadecimal digits.
bool looks_like_integer(std::string_view text) {
  if (text.starts_with("0o")) return all_of(text.substr(2), "01234567");
  if (text.starts_with("0x")) return all_of(text.substr(2), "0123456789abcdefABCDEF");
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  return all_of(text, kDecimal);
}

// [-+]?(.digits|digits(.digits?)?)([eE][-+]?digits)?
bool looks_like_float(std::string_view text) {
  if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = count_digits(text);
  text.remove_prefix(whole);
  std::size_t fraction = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = count_digits(text);
    text.remove_prefix(fraction);
  }
  if (whole == 0 && fraction == 0) return false;
  if (text.starts_with('e') || text.starts_with('E')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
    return all_of(text, kDecimal);
  }
  return text.empty();
}

// Whole numbers with a base prefix, within 64 bits.
std::optional<Value> prefixed_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  const bool signed_text = negative || text.starts_with('+');
  if (signed_text) text.remove_prefix(1);
  if (text.size() < 3 || text[0] != '0') return std::nullopt;
  int base = 0;
  if (text[1] == 'x' || text[1] == 'X') base = 16;
  if (text[1] == 'o' || text[1] == 'O') base = 8;
  if (text[1] == 'b' || text[1] == 'B') base = 2;
  if (base == 0 || text[2] == '-' || text[2] == '+') return std::nullopt;
  const auto number = Number::parse_integer(text.substr(2), base);
  if (!number) return std::nullopt;
  const Number result = negative ? number->negated() : *number;
  if (result.to_int64()) return Value::integer(*result.to_int64());
  if (signed_text || result.integer_text(16).size() > 16) return std::nullopt;
  return Value::number(result);
}

std::optional<Value> parse_number(std::string_view text) {
  std::string digits;
  std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return c != '_'; });
  if (const auto number = Number::parse(digits)) return Value::number(*number);
  return prefixed_integer(digits);
}

// How the first character of a scalar narrows what it can be.
enum class Hint : std::uint8_t { None, Word, Period, Digit };

Hint hint_of(std::string_view text) {
  if (text.empty()) return Hint::Word;
  const char c = text.front();
  if (std::string_view("yYnNtTfFoO~").find(c) != std::string_view::npos) return Hint::Word;
  if (c == '.') return Hint::Period;
  if (c == '+' || c == '-' || base::is_ascii_digit(c)) return Hint::Digit;
  return Hint::None;
}

base::Error cannot_parse(std::string_view what) {
  return base::Error{"the text is not " + std::string(what) + ", which its tag asks for"};
}

base::Result<Value> resolve_tagged(Tag tag, std::string_view text) {
  switch (tag) {
    case Tag::None:
    case Tag::Str: return Value::string(text);
    case Tag::Binary:
      // There is no type for bytes, so the Base64 text itself is kept.
      if (!base::base64_decode(text)) return cannot_parse("Base64");
      return Value::string(text);
    case Tag::Bool:
      if (const auto truth = bool_word(text)) return Value::boolean(*truth);
      return cannot_parse("true or false");
    case Tag::Int:
    case Tag::Float:
      if (const auto number = parse_number(text)) return *number;
      return cannot_parse("a number");
    case Tag::Timestamp:
      if (const auto time = parse_yaml_timestamp(text)) return Value::string(format_rfc3339(*time));
      return cannot_parse("a timestamp");
    case Tag::Null: return Value::null();
  }
  base::broken_promise("the tag is one of the enumeration");
}

}  // namespace

base::Result<Value> resolve_yaml_scalar(std::string_view tag_text, std::string_view text,
                                        ScalarStyle style) {
  const auto known = known_tag(tag_text);
  if (!known) return base::Error{"a tag that is not supported"};
  Tag tag = *known;
  const Hint hint = hint_of(text);
  if (hint == Hint::None || tag == Tag::Str || tag == Tag::Binary) return resolve_tagged(tag, text);

  // Quotes win even over a tag, and words win over a tag that does not fit:
  // OpenTofu reads them so.
  if (style == ScalarStyle::Quoted) return Value::string(text);
  if (auto found = word(text)) return *std::move(found);
  if (tag == Tag::None && is_nan(text)) return base::Error{"not-a-number is not supported"};
  if (hint == Hint::Period) {
    if (const auto number = Number::parse(text)) return Value::number(*number);
  }
  if (hint == Hint::Digit) {
    if (tag == Tag::None || tag == Tag::Timestamp) {
      if (const auto time = parse_yaml_timestamp(text)) return Value::string(format_rfc3339(*time));
    }
    if (looks_like_integer(text)) {
      tag = Tag::Int;
    } else if (looks_like_float(text)) {
      tag = Tag::Float;
    }
  }
  return resolve_tagged(tag, text);
}

}  // namespace tofu::functions
