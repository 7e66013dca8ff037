#include "config/static_eval.h"

#include <fmt/format.h>
#include <utility>

#include "syntax/eval.h"
#include "value/convert.h"
#include "value/defaults.h"

namespace tofu::config {

using value::Value;

std::string StaticEvaluator::full_name(std::string_view name) const {
  return path_.is_root() ? std::string(name) : fmt::format("{}:{}", path_.to_string(), name);
}

bool StaticEvaluator::allows(const Variable& variable, diag::SourceRange place) {
  if (variable.is_const != false) return true;
  log_.error("Unable to use variable in static context")
      .detail(fmt::format("var.{} has const = false, so it cannot be used for values that must be "
                          "known before planning.",
                          variable.name))
      .at(place);
  return false;
}

void StaticEvaluator::refuse_planned(const addrs::Reference& reference) {
  log_.error("Dynamic value in static context")
      .detail(fmt::format(
          "{} must be known before planning, so it cannot use {}. It can use variables, locals, "
          "functions, symbol libraries, path.* and terraform.workspace.",
          chain(), addrs::to_string(reference.subject)))
      .at(reference.range);
}

void StaticEvaluator::report_need(const Asking& asking, const std::string& what) {
  log_.error("Unable to compute static value")
      .detail(fmt::format("{} depends on {}, which could not be evaluated.", asking.what, what))
      .at(asking.place);
}

std::optional<Value> StaticEvaluator::value_of(const Variable& declared,
                                               std::optional<diag::SourceRange> place,
                                               diag::Diagnostics& diags) {
  const std::size_t from = log_.size();
  Frame frame{.asking = {path_.is_root() ? "the root module" : path_.to_string(), place}};
  const std::optional<Value>& v = settled(declared, frame);
  pass_on(from, diags);
  return v;
}

std::optional<Value> StaticEvaluator::evaluate(const syntax::Expr& expr, std::string asking,
                                               diag::SourceRange place, diag::Diagnostics& diags) {
  return evaluate_by(syntax::evaluate, expr, {full_name(asking), place}, diags);
}

std::optional<Value> StaticEvaluator::evaluate_despite_errors(const syntax::Expr& expr,
                                                              std::string asking,
                                                              diag::SourceRange place,
                                                              diag::Diagnostics& diags) {
  const auto always = [](const syntax::Expr& given, const syntax::Scope* scope,
                         diag::Diagnostics& log) {
    return std::optional(syntax::evaluate_despite_errors(given, scope, log));
  };
  return evaluate_by(always, expr, {full_name(asking), place}, diags);
}

std::optional<Value> StaticEvaluator::evaluate_plain(const syntax::Expr& expr,
                                                     const std::string& asking,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags) {
  auto v = evaluate(expr, asking, place, diags);
  if (!v) return std::nullopt;
  const value::Marks marks = v->deep_marks();
  const auto refuse = [&](std::string_view what) {
    diags.error(fmt::format("{} value not allowed", what))
        .detail(fmt::format("{} is recorded and shown, so it cannot use this value.",
                            full_name(asking)))
        .at(expr.range);
    return std::nullopt;
  };
  if (marks.is_sensitive()) return refuse("Sensitive");
  if (marks.is_ephemeral()) return refuse("Ephemeral");
  auto plain = v->deep_unmarked();
  if (!plain.wholly_known()) {
    diags.error("Unknown value not allowed")
        .detail(fmt::format("{} must be known before planning.", full_name(asking)))
        .at(expr.range);
    return std::nullopt;
  }
  return plain;
}

std::optional<Value> settle_variable(const Variable& variable, Value v,
                                     const addrs::ModulePath& module,
                                     std::optional<diag::SourceRange> place,
                                     diag::Diagnostics& diags) {
  if (variable.constraint.defaults != nullptr && !v.is_null()) {
    v = value::apply_defaults(*variable.constraint.defaults, v);
  }
  const auto value_given = [&] {
    const std::string call =
        module.is_root() ? "" : fmt::format(" in the call of {}", module.to_string());
    return fmt::format("The value of var.{}{}", variable.name, call);
  };
  // Errors must not show what the variable hides.
  if (variable.is_sensitive()) v = v.with_marks(value::Marks::sensitive());
  if (variable.is_ephemeral()) v = v.with_marks(value::Marks::ephemeral());
  auto converted = value::convert(v, variable.constraint.type);
  if (!converted) {
    diags.error("Invalid value for input variable")
        .detail(fmt::format("{} does not match the variable's type: {}.", value_given(),
                            value::to_string(converted.error())))
        .at(place);
    return std::nullopt;
  }
  Value settled = std::move(*converted);
  if (!variable.is_nullable() && settled.is_null()) {
    if (!variable.default_value) {
      diags.error("Required variable not set")
          .detail(fmt::format("{} is null, but the variable is not nullable and has no default.",
                              value_given()))
          .at(place);
      return std::nullopt;
    }
    settled = *variable.default_value;
  }
  if (variable.is_sensitive()) settled = settled.with_marks(value::Marks::sensitive());
  if (variable.is_ephemeral()) settled = settled.with_marks(value::Marks::ephemeral());
  if (variable.constraint.rules != nullptr) {
    if (const auto broken = syntax::broken_rule(*variable.constraint.rules, settled)) {
      diags.error("Invalid value for variable")
          .detail(fmt::format("{}{} is refused: {}.", value_given(), value::to_string(broken->path),
                              broken->what))
          .at(place);
      return std::nullopt;
    }
  }
  return settled;
}

}  // namespace tofu::config
