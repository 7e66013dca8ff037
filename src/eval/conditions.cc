#include "eval/conditions.h"

#include <fmt/format.h>
#include <utility>

#include "base/trim.h"
#include "eval/expressions.h"
#include "syntax/shown.h"
#include "syntax/shown_difference.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using plans::CheckStatus;
using value::Type;
using value::Value;

// As message_text(), of a message that is not evaluated yet.
std::string message_of(const syntax::Condition& rule, const ModuleScope& names,
                       ReferenceStatus checked, diag::Diagnostics& diags) {
  const syntax::Expr& expr = *rule.error_message;
  const auto given = evaluate_checked(expr, names, checked, diags);
  return given ? message_text(expr, *given, names, diags) : std::string();
}

struct CheckedRule {
  ReferenceStatus checked;
  std::string message;
};

CheckedRule check(const syntax::Condition& rule, const ModuleScope& names,
                  diag::Diagnostics& diags) {
  const ReferenceStatus checked = check_references(uses_of(rule), names, diags);
  return {checked, message_of(rule, names, checked, diags)};
}

// Whether the condition holds.
CheckStatus status_of(const Value& given, const syntax::Expr& expr, const ModuleScope& names,
                      diag::Diagnostics& diags) {
  const Value plain = given.unmarked();
  if (plain.is_unknown()) return CheckStatus::Unknown;
  const auto truth = value::convert(plain, Type::boolean());
  if (plain.is_null() || !truth) {
    diags.error("Invalid condition result")
        .detail(fmt::format("The condition must be true or false{}.",
                            truth ? ", not null" : ": " + value::to_string(truth.error())))
        .at(expr.range)
        .values(syntax::shown_values(expr, &names));
    return CheckStatus::Error;
  }
  if (truth->is_unknown()) return CheckStatus::Unknown;
  return truth->unmarked().as_bool() ? CheckStatus::Pass : CheckStatus::Fail;
}

RuleResult evaluate_rule(const syntax::Condition& rule, addrs::CheckRuleKind kind,
                         const ModuleScope& names, diag::Severity failure,
                         diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  const CheckedRule checked = check(rule, names, diags);
  const syntax::Expr& expr = *rule.condition;
  const auto given = evaluate_checked(expr, names, checked.checked, diags);
  RuleResult result{CheckStatus::Error, {}, expr.range};
  if (diags.error_count() != before) return result;
  result.status = status_of(*given, expr, names, diags);
  if (result.status == CheckStatus::Unknown && kind == addrs::CheckRuleKind::CheckAssertion) {
    diags.warning("Assertion cannot be checked yet")
        .detail("The condition depends on a value that is known only after apply.")
        .at(expr.range)
        .values(syntax::shown_values(expr, &names, {.unknown = true}));
    result.reported = diags.size() - 1;
  }
  if (result.status != CheckStatus::Fail) return result;
  result.message = checked.message;
  diag::Diagnostic failed;
  failed.severity = failure;
  failed.summary = fmt::format("{} failed", addrs::describe(kind));
  failed.detail = result.message.empty()
                      ? "The condition is not met. Its error message cannot be shown."
                      : result.message;
  failed.subject = expr.range;
  failed.values = syntax::shown_values(expr, &names);
  failed.difference = syntax::shown_difference(expr, &names);
  diags.add(std::move(failed));
  result.reported = diags.size() - 1;
  return result;
}

}  // namespace

std::string message_text(const syntax::Expr& expr, const Value& given, const syntax::Scope& scope,
                         diag::Diagnostics& diags) {
  const auto refuse = [&](std::string why) {
    diags.error("Invalid error message")
        .detail(std::move(why))
        .at(expr.range)
        .values(syntax::shown_values(expr, &scope));
    return std::string();
  };
  const auto text = value::convert(given, Type::string());
  if (!text) {
    return refuse(
        fmt::format("The error message must be a string: {}.", value::to_string(text.error())));
  }
  const Value plain = text->unmarked();
  if (plain.is_unknown()) return {};
  if (plain.is_null()) return refuse("The error message must be a string, not null.");
  const value::Marks marks = text->marks();
  if (!marks.is_sensitive() && !marks.is_ephemeral()) {
    return std::string(base::trim_space(plain.unmarked().as_string()));
  }
  diags
      .warning(fmt::format("Error message refers to {} values",
                           marks.is_sensitive() ? "sensitive" : "ephemeral"))
      .detail("The message will not be shown. Remove these values from the message.")
      .at(expr.range)
      .values(syntax::shown_values(expr, &scope, {.confidential = true}));
  return {};
}

bool is_whole(const syntax::Condition& rule) {
  return rule.condition != nullptr && rule.error_message != nullptr;
}

void check_rule(const syntax::Condition& rule, const ModuleScope& names, diag::Diagnostics& diags) {
  if (is_whole(rule)) (void)check(rule, names, diags);
}

std::vector<RuleResult> evaluate_rules(const std::vector<syntax::Condition>& rules,
                                       addrs::CheckRuleKind kind, const ModuleScope& names,
                                       diag::Severity failure, diag::Diagnostics& diags) {
  std::vector<RuleResult> results;
  results.reserve(rules.size());
  for (const syntax::Condition& rule : rules) {
    if (is_whole(rule)) results.push_back(evaluate_rule(rule, kind, names, failure, diags));
  }
  return results;
}

}  // namespace tofu::eval
