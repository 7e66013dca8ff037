#include "eval/module_scope.h"

#include <fmt/format.h>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "eval/suggestion.h"
#include "syntax/analysis.h"
#include "value/marks.h"

namespace tofu::eval {

namespace {

using value::Value;

}  // namespace

std::optional<syntax::Scope::Resolved> ModuleScope::resolve(const syntax::Traversal& traversal,
                                                            diag::Diagnostics& diags) const {
  const auto reference = addrs::parse_reference(traversal, module_, diags);
  if (!reference) return std::nullopt;
  const diag::SourceRange place = reference->range;
  if (std::holds_alternative<addrs::FeatureBlock>(reference->subject)) {
    return symbols_.resolve(*reference, traversal, diags);
  }
  Answer answer =
      std::visit(base::Overloaded{
                     [&](const addrs::InputVariable& a) { return variable(a.name, place, diags); },
                     [&](const addrs::LocalValue& a) { return local(a.name, place, diags); },
                     [&](const addrs::PathAttr& a) { return path(a.name, place, diags); },
                     [&](const addrs::TerraformAttr& a) { return terraform(a, place, diags); },
                     [&](const auto&) { return refuse(*reference, diags); },
                 },
                 reference->subject);
  if (!answer) return std::nullopt;
  return Resolved{std::move(*answer), traversal.steps.size() - reference->remaining.size()};
}

std::vector<std::string_view> ModuleScope::function_names() const {
  std::vector<std::string_view> names = functions_.names();
  const auto more = symbols_.function_names();
  names.insert(names.end(), more.begin(), more.end());
  return names;
}

ModuleScope::Answer ModuleScope::variable(const std::string& name, diag::SourceRange place,
                                          diag::Diagnostics& diags) const {
  const config::Variable* declared = module_.variables.find(name);
  if (declared == nullptr) {
    diags.error("Reference to undeclared input variable")
        .detail(fmt::format(
            "There is no variable {:?} in this module.{} A variable block declares one.", name,
            suggestion(name, module_.variables, diags)))
        .at(place);
    return std::nullopt;
  }
  if (const auto given = inputs_.find(name); given != inputs_.end()) return given->second;
  Value v = declared->default_value.value_or(
      Value::unknown(declared->constraint.type.without_optional_attributes()));
  if (declared->is_sensitive()) v = v.with_marks(value::Marks::sensitive());
  if (declared->is_ephemeral()) v = v.with_marks(value::Marks::ephemeral());
  return v;
}

ModuleScope::Answer ModuleScope::local(const std::string& name, diag::SourceRange place,
                                       diag::Diagnostics& diags) const {
  const config::Local* declared = module_.locals.find(name);
  if (declared == nullptr) {
    diags.error("Reference to undeclared local value")
        .detail(fmt::format("There is no local value {:?} in this module.{}", name,
                            suggestion(name, module_.locals, diags)))
        .at(place);
    return std::nullopt;
  }
  const auto [known, is_new] = locals_.try_emplace(name);
  if (!is_new) {
    if (!known->second) {
      diags.error("Circular reference")
          .detail(
              fmt::format("local.{} depends on itself, or could not be evaluated before.", name))
          .at(declared->range);
    }
    return known->second;
  }
  Answer answer;
  if (check_references(*declared->expr, *this, diags)) {
    answer = syntax::evaluate(*declared->expr, this, diags);
  }
  // Looked up again: evaluating may have added other locals.
  locals_[name] = answer;
  return answer;
}

ModuleScope::Answer ModuleScope::path(const std::string& name, diag::SourceRange place,
                                      diag::Diagnostics& diags) const {
  if (name == "module") return Value::string(module_.directory);
  if (name == "root") return Value::string(facts_.root_directory);
  if (name == "cwd") return Value::string(facts_.working_directory);
  diags.error("Invalid reference")
      .detail(
          fmt::format("There is no path.{}. Use one of path.module, path.root, path.cwd.", name))
      .at(place);
  return std::nullopt;
}

ModuleScope::Answer ModuleScope::terraform(const addrs::TerraformAttr& address,
                                           diag::SourceRange place,
                                           diag::Diagnostics& diags) const {
  if (address.name == "workspace") return Value::string(facts_.workspace);
  if (address.name == "applying") {
    return Value::boolean(false).with_marks(value::Marks::ephemeral());
  }
  diags.error("Invalid reference")
      .detail(fmt::format("There is no {}. Use terraform.workspace or terraform.applying.",
                          address.to_string()))
      .at(place);
  return std::nullopt;
}

ModuleScope::Answer ModuleScope::refuse(const addrs::Reference& reference,
                                        diag::Diagnostics& diags) const {
  diags.error("Value not available")
      .detail(
          fmt::format("{} cannot be evaluated here: only variables, locals, functions, path.* and "
                      "terraform.workspace can.",
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

bool check_references(const syntax::Expr& expr, const syntax::Scope& scope,
                      diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  for (const syntax::Traversal* traversal : syntax::variables(expr)) {
    (void)scope.resolve(*traversal, diags);  // only its diagnostics matter here
  }
  return diags.error_count() == before;
}

}  // namespace tofu::eval
