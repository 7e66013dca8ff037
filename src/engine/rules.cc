#include <fmt/format.h>
#include <string>
#include <utility>

#include "engine/pass.h"
#include "syntax/eval.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::engine {

namespace {

using plans::CheckStatus;
using value::Type;
using value::Value;

constexpr std::string_view kHidden =
    "The rule does not hold. Its message has sensitive or ephemeral values in it and cannot be "
    "shown.";

// What a rule's condition comes to.
CheckStatus status_of(const config::Condition& rule, const eval::Names& names,
                      diag::Diagnostics& diags) {
  const auto given = syntax::evaluate(*rule.condition, &names, diags);
  if (!given) return CheckStatus::Error;
  const Value plain = given->unmarked();
  if (plain.is_unknown()) return CheckStatus::Unknown;
  const auto truth = value::convert(plain, Type::boolean());
  if (plain.is_null() || !truth) {
    diags.error("Invalid condition result")
        .detail(fmt::format("A condition has to be true or false{}.",
                            truth ? ", not null" : ": " + value::to_string(truth.error())))
        .at(rule.condition->range);
    return CheckStatus::Error;
  }
  if (truth->is_unknown()) return CheckStatus::Unknown;
  return truth->as_bool() ? CheckStatus::Pass : CheckStatus::Fail;
}

std::string trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(kSpace) - first + 1));
}

// The author's message, or why there is none.
std::string message_of(const config::Condition& rule, const eval::Names& names,
                       diag::Diagnostics& diags) {
  constexpr std::string_view kNone = "The rule does not hold. Its message could not be evaluated.";
  const auto given = syntax::evaluate(*rule.error_message, &names, diags);
  if (!given) return std::string(kNone);
  const auto text = value::convert(*given, Type::string());
  if (!text || text->unmarked().is_null()) {
    diags.error("Invalid error message")
        .detail("The message of a rule has to be text.")
        .at(rule.error_message->range);
    return std::string(kNone);
  }
  const value::Marks marks = text->marks();
  if (marks.is_sensitive() || marks.is_ephemeral()) {
    diags
        .warning(fmt::format("Error message refers to {} values",
                             marks.is_sensitive() ? "sensitive" : "ephemeral"))
        .detail("The message will not be shown. Remove such values from it.")
        .at(rule.error_message->range);
    return std::string(kHidden);
  }
  if (text->unmarked().is_unknown()) return std::string(kNone);
  return trimmed(text->unmarked().as_string());
}

std::string_view summary_of(addrs::CheckRuleKind kind) {
  return kind == addrs::CheckRuleKind::InputValidation ? "Invalid value for variable"
                                                       : addrs::describe(kind);
}

}  // namespace

bool Pass::judge(const Rules& rules, const eval::Names& names, diag::Diagnostics& diags) {
  checks_.expect(rules.address);
  bool holds = true;
  for (const config::Condition& rule : rules.conditions) {
    if (rule.condition == nullptr || rule.error_message == nullptr) continue;
    diag::Diagnostics own;
    const CheckStatus status = status_of(rule, names, own);
    std::string message;
    if (status == CheckStatus::Fail) {
      message = message_of(rule, names, own);
      const bool is_variable = rules.kind == addrs::CheckRuleKind::InputValidation;
      auto failure = own.error(is_variable ? std::string(summary_of(rules.kind))
                                           : fmt::format("{} failed", summary_of(rules.kind)));
      failure.detail(is_variable ? message + "\n\nA validation rule of the variable says so."
                                 : message);
      failure.at(rules.place.value_or(rule.condition->range));
    }
    checks_.report(rules.address, status, message);
    holds &= !own.has_errors();
    if (rules.severity == diag::Severity::Warning) {
      add_as_warnings(own, diags);
    } else {
      diags.take(std::move(own));
    }
  }
  return holds || rules.severity == diag::Severity::Warning;
}

}  // namespace tofu::engine
