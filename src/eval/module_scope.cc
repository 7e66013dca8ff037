#include "eval/module_scope.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "config/suggestion.h"
#include "value/marks.h"

namespace tofu::eval {

using value::Value;

bool ModuleScope::settle(diag::Diagnostics& diags) {
  values_.settle_locals(diags);
  return !values_.has_cycle();
}

std::optional<Value> ModuleScope::evaluate(const syntax::Expr& expr, diag::Diagnostics& diags) {
  return values_.evaluate(expr, {"This expression", expr.range}, diags);
}

config::ModuleValues::VariableValue ModuleScope::variable(const config::Variable& variable,
                                                          diag::Diagnostics&) const {
  const Value unknown = Value::unknown(variable.constraint.type.without_optional_attributes());
  const auto given = inputs_.find(variable.name);
  if (given != inputs_.end() && given->second) return {given->second};
  Value v = given == inputs_.end() ? variable.default_value.value_or(unknown) : unknown;
  if (variable.is_sensitive()) v = v.with_marks(value::Marks::sensitive());
  if (variable.is_ephemeral()) v = v.with_marks(value::Marks::ephemeral());
  return {std::move(v)};
}

std::optional<Value> ModuleScope::applying(diag::SourceRange, diag::Diagnostics&) const {
  return Value::boolean(false).with_marks(value::Marks::ephemeral());
}

std::optional<Value> ModuleScope::planned(const addrs::Reference& reference, const std::string&,
                                          diag::Diagnostics& diags) const {
  const auto is_call = [&](const addrs::ModuleCall& a) {
    return module_.module_calls.find(a.name) != nullptr;
  };
  const bool is_declared = std::visit(
      base::Overloaded{
          [&](const addrs::Resource& a) { return module_.resource(a) != nullptr; },
          [&](const addrs::ResourceInstance& a) { return module_.resource(a.resource) != nullptr; },
          [&](const addrs::ModuleCall& a) { return is_call(a); },
          [&](const addrs::ModuleCallInstance& a) { return is_call(a.call); },
          [&](const addrs::ModuleCallOutput& a) { return is_call(a.call.call); },
          [](const auto&) { return false; },
      },
      reference.subject);
  if (is_declared) return Value::unknown();
  diags.error("Value not available")
      .detail(fmt::format("{} is not declared in this module, or has no meaning here.",
                          addrs::to_string(reference.subject)))
      .at(reference.range);
  return std::nullopt;
}

std::vector<std::string> ModuleScope::value_names() const {
  std::vector<std::string> names;
  for (const config::Variable& variable : module_.variables) {
    names.push_back("var." + variable.name);
  }
  for (const config::Local& local : module_.locals) names.push_back("local." + local.name);
  for (const std::string_view name : symbols_.value_names()) names.emplace_back(name);
  return names;
}

}  // namespace tofu::eval
