#include "symbols/library_rules.h"

#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "diag/place_text.h"
#include "symbols/symbol_names.h"
#include "syntax/call_failure.h"
#include "value/convert.h"

namespace tofu::symbols {

using syntax::CallError;
using syntax::CallResult;
using value::Type;
using value::Value;

CallError LibraryEvaluation::failure(std::string what, diag::SourceRange place) const {
  const bool has_places = what.find("\n    at ") != std::string::npos;
  if (!has_places && !what.ends_with('.')) what += '.';
  what += fmt::format("\n    at {}, in {}", diag::place_text(sources_, place), owner_);
  return CallError{std::move(what), std::nullopt};
}

// The first error with its place.
CallResult<Value> LibraryEvaluation::evaluate(const syntax::Expr& expr) const {
  diag::Diagnostics diags;
  auto value = syntax::evaluate(expr, &scope_, diags);
  if (value) return std::move(*value);
  for (const diag::Diagnostic& problem : diags.items()) {
    if (problem.severity != diag::Severity::Error) continue;
    const diag::SourceRange place = problem.subject.value_or(expr.range);
    const std::string_view cause = syntax::failure_cause(problem);
    if (cause.empty())
      return failure(fmt::format("{}: {}", problem.summary, problem.detail), place);
    return failure(is_symbol_name(problem.call->name)
                       ? std::string(cause)
                       : fmt::format("{} failed: {}", problem.call->name, cause),
                   place);
  }
  base::broken_promise("an expression without a value has an error");
}

std::optional<LibraryEvaluation::RuleProblem> LibraryEvaluation::check(
    const syntax::Condition& rule) const {
  auto condition = evaluate(*rule.condition);
  if (!condition) return RuleProblem{std::move(condition).error()};
  const auto truth = value::convert(condition->deep_unmarked(), Type::boolean());
  if (!truth || truth->is_null()) {
    return RuleProblem{failure("a condition is neither true nor false", rule.condition->range)};
  }
  if (truth->is_unknown() || truth->plain().as_bool()) return std::nullopt;
  return RuleProblem{
      CallError{fmt::format("{}\n\nThis was checked by the validation rule at {}", message_of(rule),
                            diag::place_text(sources_, rule.range)),
                std::nullopt},
      true};
}

// The author's own words, unless they cannot be shown.
std::string LibraryEvaluation::message_of(const syntax::Condition& rule) const {
  const auto given = evaluate(*rule.error_message);
  if (!given) return fmt::format("a validation rule failed, and {}", given.error().what);
  const value::Marks marks = given->deep_marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) {
    return "a validation rule failed; its message contains sensitive values";
  }
  const auto text = value::convert(given->deep_unmarked(), Type::string());
  if (!text || text->is_null() || text->is_unknown()) {
    return "a validation rule failed; its message is not known";
  }
  return std::string(text->plain().as_string());
}

}  // namespace tofu::symbols
