#include "commands/console_scope.h"

#include <fmt/format.h>
#include <utility>

#include "syntax/analysis.h"
#include "value/marks.h"
#include "value/value.h"

namespace tofu::commands {

namespace {

using syntax::StepKind;
using syntax::Traversal;
using value::Value;

std::string_view first_attribute(const Traversal& traversal) {
  if (traversal.steps.empty() || traversal.steps[0].kind != StepKind::Attribute) return {};
  return traversal.steps[0].name;
}

void report_attribute(const Traversal& traversal, std::string_view known,
                      diag::Diagnostics& diags) {
  diags.error("Invalid reference")
      .detail(fmt::format("{} has no value of its own and no such attribute. Use one of {}.",
                          traversal.root, known))
      .at(traversal.range);
}

void report_undeclared(const Traversal& traversal, diag::Diagnostics& diags) {
  const std::string_view name = first_attribute(traversal);
  if (name.empty()) {
    diags.error("Invalid reference")
        .detail(
            fmt::format("A name must follow {:?}, as in {}.NAME: on its own it stands for nothing.",
                        traversal.root, traversal.root))
        .at(traversal.range);
    return;
  }
  diags.error("Reference to something that is not declared")
      .detail(fmt::format("No configuration is loaded here, so there is no {}.{}. Only functions, "
                          "path.* and terraform.workspace are known.",
                          traversal.root, name))
      .at(traversal.range);
}

}  // namespace

std::optional<syntax::Scope::Resolved> ConsoleScope::resolve(const Traversal& traversal,
                                                             diag::Diagnostics& diags) const {
  const std::string_view attribute = first_attribute(traversal);
  if (traversal.root == "path") {
    if (attribute == "module" || attribute == "root") return Resolved{Value::string("."), 1};
    if (attribute == "cwd") return Resolved{Value::string(facts_.original_directory), 1};
    report_attribute(traversal, "path.module, path.root, path.cwd", diags);
    return std::nullopt;
  }
  if (traversal.root == "terraform" || traversal.root == "tofu") {
    if (attribute == "workspace") return Resolved{Value::string(facts_.workspace), 1};
    if (attribute == "applying") {
      return Resolved{Value::boolean(false).with_marks(value::Marks::ephemeral()), 1};
    }
    report_attribute(traversal, "terraform.workspace, terraform.applying", diags);
    return std::nullopt;
  }
  report_undeclared(traversal, diags);
  return std::nullopt;
}

bool check_references(const syntax::Expr& expr, const syntax::Scope& scope,
                      diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  for (const Traversal* traversal : syntax::variables(expr)) {
    (void)scope.resolve(*traversal, diags);  // only its diagnostics matter here
  }
  return diags.error_count() == before;
}

}  // namespace tofu::commands
