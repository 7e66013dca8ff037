// Templates: text with values in it, and the loops of `%{ for }`.
#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "syntax/evaluator.h"
#include "value/convert.h"
#include "value/path.h"
#include "value/size_limit.h"

namespace tofu::syntax {
namespace {

using diag::Diagnostics;
using value::Kind;
using value::Type;
using value::Value;

constexpr std::string_view kNoNullInText =
    "The value is null, so it cannot be included in a string. Provide another value with "
    "coalesce() or a conditional.";

// Longer prefixes are of no use to anyone and would have to be stored.
constexpr std::size_t kMaxPrefixLength = 128;

// The part of the text before the first unknown that stays as it is whatever
// follows.
std::string lasting_prefix(std::string_view text) {
  if (text.size() <= kMaxPrefixLength) return value::safe_prefix(text);
  std::size_t end = kMaxPrefixLength;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  // A code point cut in half is what safe_prefix may drop, not the one before it.
  std::string cut(text.substr(0, end));
  if (end != kMaxPrefixLength) cut += "\uFFFD";
  return value::safe_prefix(cut);
}

Value unknown_text(std::string_view prefix) {
  value::Refinements known;
  known.not_null = true;
  if (!prefix.empty()) known.prefix = lasting_prefix(prefix);
  return Value::unknown(Type::string()).refined(known);
}

// The values in it would make the message as long as the text.
void report_length(const Expr& at, Diagnostics& diags) {
  diags.error("String too long")
      .detail(fmt::format("Template result too long: {}.", value::text_too_long()))
      .at(at.range);
}

}  // namespace

bool append_text(std::string& out, const Value& v) {
  switch (v.kind()) {
    case Kind::String: out += v.plain().as_string(); return true;
    case Kind::Number: out += v.plain().as_number().to_string(); return true;
    case Kind::Bool: out += v.plain().as_bool() ? "true" : "false"; return true;
    case Kind::Null:
    case Kind::Unknown:
    case Kind::List:
    case Kind::Set:
    case Kind::Map:
    case Kind::Tuple:
    case Kind::Object:
    case Kind::Capsule:
    case Kind::Marked: return false;
  }
  return false;
}

std::optional<Value> quick_string(const Value& v) {
  if (v.kind() == Kind::String) return v;
  std::string text;
  if (!append_text(text, v)) return std::nullopt;
  return Value::string(text);
}

Value Evaluator::template_text(const TemplateExpr& expr, Diagnostics& diags) {
  if (expr.parts.size() == 1) {
    const auto* literal = as_if<LiteralExpr>(*expr.parts[0]);
    if (literal != nullptr && literal->value->kind() == Kind::String) return *literal->value;
  }

  const std::size_t errors_before = diags.error_count();
  const auto failed = [&] { return diags.error_count() != errors_before; };
  const auto report = [&](const Expr& part, std::string detail) {
    fault(diags, "Invalid template interpolation value", std::move(detail), part.range, &part)
        .within(expr.range);
  };
  std::string text;
  bool known = true;
  value::Marks marks;
  for (const Expr* part : expr.parts) {
    Value given = eval(*part, diags);
    if (given.is_null()) {
      report(*part, std::string(kNoNullInText));
      continue;
    }
    const auto plain = strip_marks(std::move(given), marks);
    if (plain.is_unknown()) {
      known = false;
      continue;
    }
    // After the first unknown only errors are looked for.
    std::string rest;
    if (append_text(known && !failed() ? text : rest, plain)) {
      if (text.size() <= value::kMaxTextSize) continue;
      report_length(*part, diags);
      text.clear();
      continue;
    }
    const auto converted = value::convert(plain, Type::string());
    TOFU_CHECK(!converted, "only strings, numbers and bools have a text");
    report(*part, fmt::format("Only strings, numbers and bools can be included in a string: {}.",
                              to_string(converted.error())));
  }
  if (known && !may_make_text(text.size(), expr, diags)) known = false;
  if (known) return Value::string(text).with_marks(marks);
  return unknown_text(failed() ? std::string_view() : text).with_marks(marks);
}

Value Evaluator::template_join(const TemplateJoinExpr& expr, Diagnostics& diags) {
  value::Marks marks;
  const auto tuple = strip_marks(eval(*expr.tuple, diags), marks);
  if (tuple.kind() != Kind::Tuple) return Value::unknown(Type::string());

  const auto report = [&](std::string detail) {
    fault(diags, "Invalid template interpolation value", std::move(detail), expr.tuple->range,
          &expr);
  };
  value::Marks all_marks = marks;
  std::string text;
  for (const Value& item : tuple.items()) {
    const auto plain = item.unmarked();
    if (plain.is_null()) {
      report(std::string(kNoNullInText));
      continue;
    }
    if (plain.type().is_dynamic()) return Value::unknown(Type::string()).with_marks(marks);
    const auto converted = value::convert(plain, Type::string());
    if (!converted) {
      report(fmt::format("Only strings, numbers and bools can be included in a string: {}.",
                         to_string(converted.error())));
      continue;
    }
    if (plain.is_unknown()) return Value::unknown(Type::string()).with_marks(marks);
    all_marks = all_marks.with(item.marks());
    text += converted->plain().as_string();
    if (text.size() > value::kMaxTextSize) {
      report_length(expr, diags);
      return Value::unknown(Type::string()).with_marks(all_marks);
    }
  }
  if (!may_make_text(text.size(), expr, diags)) {
    return Value::unknown(Type::string()).with_marks(all_marks);
  }
  return Value::string(text).with_marks(all_marks);
}

}  // namespace tofu::syntax
