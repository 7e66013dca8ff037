#include "eval/repetition.h"

#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>

#include "eval/expressions.h"
#include "syntax/shown.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Type;
using value::Value;

// Which argument is refused, where it stands and what it refers to.
struct Refusing {
  std::string_view argument;
  const syntax::Expr& expr;
  const ModuleScope& names;
  diag::Diagnostics& diags;

  void operator()(std::string detail, syntax::ShowAlso also = {}) const {
    diags.error(fmt::format("Invalid {} argument", argument))
        .detail(std::move(detail))
        .at(expr.range)
        .values(syntax::shown_values(expr, &names, also));
  }
};

constexpr syntax::ShowAlso kConfidential{.confidential = true};

bool is_tuple_allowed(Type type, Tuples tuples) {
  return type.kind() == value::TypeKind::Tuple && tuples == Tuples::Allowed;
}

bool has_keys(Type type) {
  return type.kind() == value::TypeKind::Map || type.kind() == value::TypeKind::Object;
}

class ForEachCheck {
 public:
  ForEachCheck(const syntax::Expr& expr, const ModuleScope& names, Tuples tuples,
               diag::Diagnostics& diags)
      : refusing_{"for_each", expr, names, diags}, tuples_(tuples) {}

  ForEach check(const Value& given);

 private:
  void check_type(Type type);
  void check_set(const Value& set);
  void check_marks(const value::Marks& marks);
  void refuse(std::string detail, syntax::ShowAlso also = {}) {
    refusing_(std::move(detail), also);
    refused_ = true;
  }

  const Refusing refusing_;
  Tuples tuples_;
  bool refused_ = false;
};

void ForEachCheck::check_type(Type type) {
  if (type.is_dynamic() || has_keys(type) || is_tuple_allowed(type, tuples_)) return;
  if (type.kind() != value::TypeKind::Set) {
    refuse(
        fmt::format("for_each requires a map, an object or a set of strings, but this value is of "
                    "type {}. Convert a list to a set with toset().",
                    value::friendly_name(type)));
    return;
  }
  const Type element = type.element();
  if (element.is_dynamic() || element == Type::string()) return;
  refuse(fmt::format("for_each requires a set of strings, but this is a set of {}.",
                     value::friendly_name(element)));
}

void ForEachCheck::check_set(const Value& set) {
  if (set.is_null() || !set.wholly_known() || set.type().kind() != value::TypeKind::Set) return;
  for (const Value& item : set.plain().items()) {
    if (!item.is_null()) continue;
    refuse(
        "The set contains null. Every element must be a string, because it becomes an instance "
        "key.");
    return;
  }
}

void ForEachCheck::check_marks(const value::Marks& marks) {
  if (marks.is_sensitive()) {
    refuse(
        "The value is sensitive or derived from a sensitive value. Instance keys are shown in "
        "output, so for_each cannot be sensitive. Use nonsensitive() if the keys can be shown.",
        kConfidential);
  }
  if (marks.is_ephemeral()) {
    refuse(
        "The value is ephemeral or derived from an ephemeral value. Instance keys are stored in "
        "the state, so for_each cannot be ephemeral.",
        kConfidential);
  }
}

ForEach ForEachCheck::check(const Value& given) {
  const auto plain = given.unmarked();
  check_type(plain.type());
  check_set(plain);
  if (plain.is_null()) refuse("The value is null. Use an empty map or set for no instances.");
  check_marks(given.marks());
  if (refused_) return {true, std::nullopt};
  const bool is_set = plain.type().kind() == value::TypeKind::Set;
  if (plain.is_unknown() || (is_set && !plain.wholly_known())) return {false, std::nullopt};
  return {true, plain};
}

}  // namespace

std::optional<Value> evaluate_count(const syntax::Expr& expr, const ModuleScope& names,
                                    diag::Diagnostics& diags) {
  const auto given = evaluate_as(Type::number(), expr, names, diags);
  if (!given) return std::nullopt;
  const Refusing refuse{"count", expr, names, diags};
  const auto fail = [&](std::string detail, syntax::ShowAlso also = {}) -> std::optional<Value> {
    refuse(std::move(detail), also);
    return std::nullopt;
  };
  if (given->marks().is_ephemeral()) {
    return fail(
        "The value is ephemeral or derived from an ephemeral value. The number of instances is "
        "stored in the state, so count cannot be ephemeral.",
        kConfidential);
  }
  const auto count = given->unmarked();
  if (count.is_null()) return fail("The value is null. count requires a whole number.");
  if (count.is_unknown()) return Value::unknown(Type::number());
  const auto whole = count.as_number().to_int64();
  if (!whole)
    return fail("The value is not a valid number of instances. count requires a whole number.");
  if (*whole < 0) return fail("The value is negative. count must be zero or greater.");
  return count;
}

std::optional<Value> evaluate_enabled(const syntax::Expr& expr, const ModuleScope& names,
                                      diag::Diagnostics& diags) {
  const auto given = evaluate(expr, names, diags);
  if (!given) return std::nullopt;
  const std::size_t before = diags.error_count();
  const Refusing fail{"enabled", expr, names, diags};
  if (given->marks().is_sensitive()) {
    fail(
        "The value is sensitive or derived from a sensitive value. The plan shows whether the "
        "instance exists, so \"enabled\" cannot be sensitive.",
        kConfidential);
  }
  if (given->marks().is_ephemeral()) {
    fail(
        "The value is ephemeral or derived from an ephemeral value. The state records whether the "
        "instance exists, so \"enabled\" cannot be ephemeral.",
        kConfidential);
  }
  const auto plain = given->unmarked();
  if (plain.is_null()) fail("The value is null. \"enabled\" must be true or false.");
  if (diags.error_count() != before) return std::nullopt;
  auto truth = value::convert(plain, Type::boolean());
  if (truth) return std::move(*truth);
  fail(fmt::format("\"enabled\" must be true or false: {}.", value::to_string(truth.error())));
  return std::nullopt;
}

ForEach evaluate_for_each(const syntax::Expr& expr, const ModuleScope& names, Tuples tuples,
                          diag::Diagnostics& diags) {
  if (check_references(uses_of(expr), names, diags) != ReferenceStatus::Good)
    return {true, std::nullopt};
  const std::size_t before = diags.error_count();
  const Value given = syntax::evaluate_despite_errors(expr, &names, diags);
  ForEach each = ForEachCheck(expr, names, tuples, diags).check(given);
  if (diags.error_count() != before) each.elements.reset();
  return each;
}

}  // namespace tofu::eval
