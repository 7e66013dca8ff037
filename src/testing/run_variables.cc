#include "testing/run_variables.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "addrs/reference.h"
#include "config/static_eval.h"
#include "eval/deprecation.h"

namespace tofu::testing {

namespace {

using value::Value;

const config::TestVariable* find(const std::vector<config::TestVariable>& all,
                                 const std::string& name) {
  const auto found = std::ranges::find(all, name, &config::TestVariable::name);
  return found == all.end() ? nullptr : &*found;
}

// As expressions of test files see them: from outside, or by default.
Value outside_values(const config::Module& module, const GivenVariables& given,
                     diag::Diagnostics& diags) {
  std::vector<value::Attr> all;
  for (const std::string& name : given.names()) {
    const config::Variable* declared = module.variables.find(name);
    auto v = given.read(name, declared, diags);
    if (!v) continue;
    if (declared != nullptr) {
      diag::Diagnostics unfit;  // the run reports it, if it uses the value
      auto settled = config::settle_variable(*declared, *v, {}, std::nullopt, unfit);
      if (settled) v = std::move(settled);
    }
    all.push_back({name, std::move(*v)});
  }
  for (const config::Variable& variable : module.variables) {
    if (given.has(variable.name) || !variable.default_value) continue;
    all.push_back({variable.name, *variable.default_value});
  }
  return Value::object(std::move(all));
}

}  // namespace

std::optional<syntax::Scope::Resolved> TestScope::resolve(const syntax::Traversal& traversal,
                                                          diag::Diagnostics& diags) const {
  if (traversal.root == "var") return Resolved{variables_, 0};
  if (traversal.root == "run") return Resolved{runs_, 0};
  const auto& symbols =
      symbols_.file.linked_symbols ? symbols_.file.linked_symbols : symbols_.tested.symbols;
  if (traversal.root == "symbols" && symbols != nullptr) {
    const auto reference = addrs::parse_reference(traversal, *symbols_.tested.module, diags);
    if (!reference) return std::nullopt;
    if (std::holds_alternative<addrs::FeatureBlock>(reference->subject)) {
      return symbols->resolve(*reference, traversal, diags);
    }
  }
  diags.error("Unknown variable")
      .detail(
          fmt::format("{:?} has no value here. Test files can name variables (var.NAME), "
                      "outputs of earlier runs (run.NAME.OUTPUT) and values of symbol libraries "
                      "(symbols.LIBRARY.NAME).",
                      traversal.root))
      .at(traversal.root_range);
  return std::nullopt;
}

const syntax::ImportedSymbols* TestScope::symbols() const {
  return symbols_.file.linked_symbols ? symbols_.file.linked_symbols.get()
                                      : symbols_.tested.symbols.get();
}

const syntax::Function* TestScope::function(std::string_view name) const {
  if (const syntax::Function* found = functions_.find(name)) return found;
  return symbols() == nullptr ? nullptr : symbols()->function(name);
}

TestScope TestScope::with(const std::map<std::string, Value>& variables) const {
  std::vector<value::Attr> all;
  const auto names = variables_.type().attributes();
  for (std::size_t i = 0; i < names.size(); ++i) {
    all.push_back({std::string(names[i].name), variables_.plain().items()[i]});
  }
  for (const auto& [name, v] : variables) {
    if (!v.unmarked().is_null()) all.push_back({name, v});
  }
  return TestScope(Value::object(std::move(all)), runs_, functions_, symbols_);
}

RunVariables::RunVariables(const config::Module& module, const config::TestFile& file,
                           const config::TestRun& run, const GivenVariables& given, Value runs,
                           const functions::Table& functions, const config::TreeNode& tested,
                           diag::Diagnostics& diags)
    : module_(module),
      file_(file),
      run_(run),
      given_(given),
      scope_(outside_values(module, given, diags), std::move(runs), functions, {file, tested}) {}

const config::TestVariable* RunVariables::in_test(const std::string& name) const {
  const config::TestVariable* found = find(run_.variables, name);
  return found != nullptr ? found : find(file_.variables, name);
}

diag::Checked<void> RunVariables::settle(std::map<std::string, Value>& out,
                                         diag::Diagnostics& diags) const {
  const std::size_t errors = diags.error_count();
  for (const config::Variable& variable : module_.variables) {
    std::optional<Value> v;
    if (const config::TestVariable* in_file = in_test(variable.name)) {
      v = syntax::evaluate(*in_file->expr, &scope_, diags);
    } else if (given_.has(variable.name)) {
      v = given_.read(variable.name, &variable, diags);
    } else if (variable.is_required()) {
      diags.error("No value for a required variable")
          .detail(fmt::format("var.{} has no default, so that every run needs a value for it. Give "
                              "it one in a variables block of the test file, or with -var.",
                              variable.name))
          .at(variable.range);
    }
    if (v) out.insert_or_assign(variable.name, std::move(*v));
  }
  return diags.error_count() == errors;
}

void RunVariables::warn_of_deprecated(const std::map<std::string, Value>& values,
                                      diag::Diagnostics& diags) const {
  for (const config::Variable& variable : module_.variables) {
    const config::TestVariable* in_file = in_test(variable.name);
    const auto found = values.find(variable.name);
    if (!variable.deprecated || in_file == nullptr || found == values.end()) continue;
    if (found->second.unmarked().is_null()) continue;
    eval::warn_of_deprecated(variable, in_file->expr->range, diags);
  }
}

std::optional<Value> RunVariables::undeclared(const std::string& name,
                                              diag::Diagnostics& diags) const {
  if (const config::TestVariable* in_file = in_test(name)) {
    return syntax::evaluate(*in_file->expr, &scope_, diags);
  }
  return given_.has(name) ? given_.read(name, nullptr, diags) : std::nullopt;
}

}  // namespace tofu::testing
