#include "eval/variables.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "config/static_eval.h"
#include "eval/expressions.h"
#include "syntax/eval.h"
#include "syntax/shown.h"
#include "syntax/shown_difference.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

using plans::CheckStatus;
using value::Type;
using value::Value;

namespace {

// The validations of one variable with the value it was given.
class Rules {
 public:
  Rules(const config::Variable& variable, const syntax::Expr* argument, const ModuleScope& names,
        UnknownMessage unknown_message, diag::Diagnostics& diags)
      : variable_(variable),
        argument_(argument),
        names_(names),
        unknown_message_(unknown_message),
        diags_(diags) {}

  RuleResult evaluate(const syntax::Condition& rule);

 private:
  CheckStatus status_of(const syntax::Condition& rule, const Value& result);
  std::string message_of(const syntax::Condition& rule, const std::optional<Value>& given);
  std::optional<Value> evaluate_message(const syntax::Condition& rule);

  const config::Variable& variable_;
  const syntax::Expr* argument_;
  const ModuleScope& names_;
  UnknownMessage unknown_message_;
  diag::Diagnostics& diags_;
};

// A message that is no expression that can be evaluated is still text.
std::optional<Value> Rules::evaluate_message(const syntax::Condition& rule) {
  diag::Diagnostics problems;
  auto given = syntax::evaluate(*rule.error_message, &names_, problems);
  if (given) {
    diags_.take(std::move(problems));
    return given;
  }
  diag::Diagnostics ignored;
  auto constant = syntax::evaluate(*rule.error_message, nullptr, ignored);
  if (!constant) {
    diags_.take(std::move(problems));
    return std::nullopt;
  }
  diags_.warning("Validation error message expression is invalid")
      .detail("The message could not be evaluated, so it is shown as written.")
      .at(rule.error_message->range)
      .values(syntax::shown_values(*rule.error_message, &names_));
  return constant;
}

CheckStatus Rules::status_of(const syntax::Condition& rule, const Value& result) {
  const Value plain = result.unmarked();
  if (plain.is_unknown()) return CheckStatus::Unknown;
  const auto truth = value::convert(plain, Type::boolean());
  if (plain.is_null() || !truth) {
    diags_.error("Invalid variable validation result")
        .detail(fmt::format("The condition must be true or false{}.",
                            truth ? ", not null" : ": " + value::to_string(truth.error())))
        .at(rule.condition->range)
        .values(syntax::shown_values(*rule.condition, &names_));
    return CheckStatus::Error;
  }
  if (truth->is_unknown()) return CheckStatus::Unknown;
  return truth->unmarked().as_bool() ? CheckStatus::Pass : CheckStatus::Fail;
}

std::string Rules::message_of(const syntax::Condition& rule, const std::optional<Value>& given) {
  std::string hidden = "The error message of the rule cannot be shown.";
  if (!given || given->unmarked().is_null()) return hidden;
  const auto text = value::convert(*given, Type::string());
  if (!text) {
    diags_.error("Invalid error message")
        .detail(
            fmt::format("The error message must be a string: {}.", value::to_string(text.error())))
        .at(rule.error_message->range)
        .values(syntax::shown_values(*rule.error_message, &names_));
    return hidden;
  }
  const value::Marks marks = text->marks();
  if (!marks.is_sensitive() && !marks.is_ephemeral())
    return std::string(text->unmarked().as_string());
  diags_
      .error(fmt::format("Error message refers to {} values",
                         marks.is_sensitive() ? "sensitive" : "ephemeral"))
      .detail("The message will not be shown. Remove these values from the message.")
      .at(rule.error_message->range)
      .values(syntax::shown_values(*rule.error_message, &names_, {.confidential = true}));
  return hidden;
}

RuleResult Rules::evaluate(const syntax::Condition& rule) {
  RuleResult out{CheckStatus::Error, {}, rule.condition->range};
  if (check_references(uses_of(rule), names_, diags_) != ReferenceStatus::Good) return out;

  const auto result = syntax::evaluate(*rule.condition, &names_, diags_);
  const auto message = evaluate_message(rule);
  if (!result) return out;
  out.status = status_of(rule, *result);
  if (out.status != CheckStatus::Fail) return out;
  if (message && message->unmarked().is_unknown()) {
    if (unknown_message_ == UnknownMessage::Waits) return out;
    diags_.error("Invalid error message")
        .detail(
            "The condition is not met, and its error message depends on a value that is known only "
            "after apply. Remove that value from the message.")
        .at(rule.error_message->range)
        .values(syntax::shown_values(*rule.error_message, &names_, {.unknown = true}));
    return out;
  }
  out.message = message_of(rule, message);
  diags_.error("Invalid value for variable")
      .detail(rule.place.empty()
                  ? out.message
                  : fmt::format("{}\n\nThis was checked by the validation rule at {}.", out.message,
                                rule.place))
      .at(argument_ != nullptr ? argument_->range : variable_.range)
      .values(syntax::shown_values(*rule.condition, &names_))
      .difference(syntax::shown_difference(*rule.condition, &names_));
  out.reported = diags_.size() - 1;
  return out;
}

}  // namespace

Value marked_as_declared(Value v, const config::Variable& variable) {
  if (variable.is_sensitive()) v = v.with_marks(value::Marks::sensitive());
  if (variable.is_ephemeral()) v = v.with_marks(value::Marks::ephemeral());
  return v;
}

Value unknown_value(const config::Variable& variable) {
  return marked_as_declared(Value::unknown(variable.constraint.type.without_optional_attributes()),
                            variable);
}

std::optional<Value> settle_argument(const config::Variable& variable, Value v,
                                     const addrs::ModulePath& module, diag::SourceRange place,
                                     diag::Diagnostics& diags) {
  if (v.deep_marks().is_ephemeral() && !variable.is_ephemeral()) {
    diags.error("Variable does not allow ephemeral value")
        .detail(fmt::format("The value given for {:?} is ephemeral. To allow this, set \"ephemeral "
                            "= true\" for the variable.",
                            variable.name))
        .at(place);
    return std::nullopt;
  }
  // A null is an error of the caller. A value of the wrong type is reported at the declaration.
  const bool is_null = v.unmarked().is_null();
  return config::settle_variable(variable, std::move(v), module, is_null ? place : variable.range,
                                 diags);
}

InstanceScope scope_to_validate(const config::Variable& variable, Value v,
                                const InstanceScope& module) {
  InstanceScope instance_scope = module;
  instance_scope.given = &variable;
  instance_scope.given_value = std::move(v);
  return instance_scope;
}

std::vector<RuleResult> evaluate_validations(const config::Variable& variable,
                                             const syntax::Expr* argument, const ModuleScope& names,
                                             UnknownMessage unknown_message,
                                             diag::Diagnostics& diags) {
  std::vector<RuleResult> results;
  Rules rules(variable, argument, names, unknown_message, diags);
  const std::size_t before = diags.error_count();
  for (const syntax::Condition& rule : variable.validations) {
    // Later rules may rely on what earlier ones make sure of.
    if (diags.error_count() != before) break;
    if (is_whole(rule)) results.push_back(rules.evaluate(rule));
  }
  return results;
}

}  // namespace tofu::eval
