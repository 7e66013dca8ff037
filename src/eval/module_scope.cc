#include "eval/module_scope.h"

#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "eval/variables.h"

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
  const auto given = inputs_.find(variable.name);
  if (given != inputs_.end() && given->second) return {given->second};
  if (given != inputs_.end() || !variable.default_value) return {unknown_value(variable)};
  return {marked_as_declared(*variable.default_value, variable)};
}

std::optional<Value> ModuleScope::planned(const addrs::Reference& reference, const std::string&,
                                          diag::Diagnostics& diags) const {
  const diag::SourceRange place = reference.range;
  const auto if_there = [](const void* declared) {
    return declared == nullptr ? std::nullopt : std::optional(Value::unknown());
  };
  return std::visit(
      base::Overloaded{
          [&](const addrs::Resource& a) { return if_there(names_.resource(a, place, diags)); },
          [&](const addrs::ResourceInstance& a) {
            return if_there(names_.resource(a.resource, place, diags));
          },
          [&](const addrs::ModuleCall& a) { return if_there(names_.call(a.name, place, diags)); },
          [&](const addrs::ModuleCallInstance& a) {
            return if_there(names_.call(a.call.name, place, diags));
          },
          [&](const addrs::ModuleCallOutput& a) {
            return if_there(names_.call(a.call.call.name, place, diags));
          },
          [&](const addrs::CountAttr& a) {
            return config::ModuleNames::count(a, std::nullopt, place, diags);
          },
          [&](const addrs::EachAttr& a) {
            return config::ModuleNames::each(a, std::nullopt, std::nullopt, place, diags);
          },
          [&](const addrs::Self&) {
            config::ModuleNames::refuse_self(place, diags);
            return std::optional<Value>();
          },
          [&](const auto&) {
            config::ModuleNames::refuse(reference, diags);
            return std::optional<Value>();
          },
      },
      reference.subject);
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
