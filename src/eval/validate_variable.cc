#include <fmt/format.h>
#include <string>

#include "eval/expressions.h"
#include "eval/validation.h"
#include "syntax/eval.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Type;
using value::Value;

// The validations of one variable with the value it was given.
class Rules {
 public:
  Rules(const config::Variable& variable, const syntax::Expr* argument, const Names& names,
        diag::Diagnostics& diags)
      : variable_(variable), argument_(argument), names_(names), diags_(diags) {}

  void check(const config::Condition& rule);

 private:
  // Whether the rule can be said to fail.
  bool fails(const config::Condition& rule, const Value& result);
  std::string message_of(const config::Condition& rule, const std::optional<Value>& given);
  std::optional<Value> evaluate_message(const config::Condition& rule);

  const config::Variable& variable_;
  const syntax::Expr* argument_;
  const Names& names_;
  diag::Diagnostics& diags_;
};

// A message that is no expression that can be evaluated is still text.
std::optional<Value> Rules::evaluate_message(const config::Condition& rule) {
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
  diags_.warning("Validation error message is not an expression")
      .detail("It cannot be evaluated, so it is shown as it is written.")
      .at(rule.error_message->range);
  return constant;
}

bool Rules::fails(const config::Condition& rule, const Value& result) {
  const Value plain = result.unmarked();
  if (plain.is_unknown()) return false;
  const auto truth = value::convert(plain, Type::boolean());
  if (plain.is_null() || !truth) {
    diags_.error("Invalid variable validation result")
        .detail(fmt::format("A condition has to be true or false{}.",
                            truth ? ", not null" : ": " + value::to_string(truth.error())))
        .at(rule.condition->range);
    return false;
  }
  return truth->is_known() && !truth->as_bool();
}

std::string Rules::message_of(const config::Condition& rule, const std::optional<Value>& given) {
  std::string hidden = "The message of the rule cannot be shown.";
  if (!given || given->unmarked().is_null()) return hidden;
  const auto text = value::convert(*given, Type::string());
  if (!text) {
    diags_.error("Invalid error message")
        .detail(fmt::format("A message has to be text: {}.", value::to_string(text.error())))
        .at(rule.error_message->range);
    return hidden;
  }
  const value::Marks marks = text->marks();
  if (!marks.is_sensitive() && !marks.is_ephemeral())
    return std::string(text->unmarked().as_string());
  diags_
      .error(fmt::format("Error message refers to {} values",
                         marks.is_sensitive() ? "sensitive" : "ephemeral"))
      .detail("The message will not be shown. Leave such values out of it.")
      .at(rule.error_message->range);
  return hidden;
}

void Rules::check(const config::Condition& rule) {
  if (check_references(uses_of(rule), names_, diags_) != Checked::Good) return;

  const auto result = syntax::evaluate(*rule.condition, &names_, diags_);
  const auto message = evaluate_message(rule);
  if (!result || !fails(rule, *result)) return;
  // A failure is worth telling once its message is known, which is while planning.
  if (message && message->unmarked().is_unknown()) return;
  const std::string text = message_of(rule, message);
  diags_.error("Invalid value for variable")
      .detail(text + "\n\nA validation rule of the variable says so.")
      .at(argument_ != nullptr ? argument_->range : variable_.range);
}

}  // namespace

void Validation::variable(const Object& object) {
  const config::Variable& variable = *std::get<const config::Variable*>(object.declaration);
  const ModuleRows& rows = program_.modules[object.module.index];
  const std::uint32_t argument = rows.first.index + rows.shape->argument_row_of(&variable);
  Standing standing{object.module};
  standing.given = &variable;
  standing.given_value = kept_[argument].value_or(Value::unknown());
  const Names names(evaluation_, std::move(standing));
  Rules rules(variable, object.argument, names, diags_);
  for (const config::Condition& rule : variable.validations) {
    if (rule.condition != nullptr && rule.error_message != nullptr) rules.check(rule);
  }
}

}  // namespace tofu::eval
