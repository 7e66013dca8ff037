#include "eval/outputs.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "eval/expressions.h"
#include "syntax/type_expr.h"
#include "value/json.h"
#include "value/marks.h"
#include "value/path.h"

namespace tofu::eval {

using value::Marks;
using value::Value;

namespace {

// Ephemeral values are refused before sensitive ones are looked at.
bool check_ephemeral_output(const config::Output& output, bool is_root, const Marks& marks,
                            diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  if (output.is_ephemeral() && is_root) {
    diags.error("Invalid output configuration")
        .detail("Outputs of the root module are stored in the state, so they cannot be ephemeral.")
        .at(output.range);
  }
  if (!output.is_ephemeral() && marks.is_ephemeral()) {
    diags.error("Output does not allow ephemeral value")
        .detail("The value is ephemeral. To allow this, set \"ephemeral = true\" for the output.")
        .at(output.expr->range);
  }
  return diags.error_count() == before;
}

// The value as the type of the output wants it, with defaults of optional attributes.
std::optional<Value> as_declared(const config::Output& output, Value given,
                                 diag::Diagnostics& diags) {
  // Errors must not show what the output hides.
  if (output.is_sensitive()) given = given.with_marks(Marks::sensitive());
  if (output.is_ephemeral()) given = given.with_marks(Marks::ephemeral());
  auto fitted = syntax::fit(output.constraint, std::move(given));
  if (fitted) return *std::move(fitted);
  diags.error("Invalid output value")
      .detail(
          fmt::format("The value does not match the output's type: {}.", to_string(fitted.error())))
      .at(output.expr->range);
  return std::nullopt;
}

}  // namespace

OutputResult evaluate_output(const config::Output& output, const ModuleScope& names,
                             diag::Severity failure, diag::Diagnostics& diags) {
  OutputResult result;
  const std::size_t before = diags.error_count();
  result.preconditions = evaluate_rules(
      output.preconditions, addrs::CheckRuleKind::OutputPrecondition, names, failure, diags);
  if (diags.error_count() != before || output.expr == nullptr) return result;

  auto given = evaluate(*output.expr, names, diags);
  if (given) given = as_declared(output, *std::move(given), diags);
  check_depends_on(output.depends_on, names, diags);
  const Marks marks = given ? given->deep_marks() : Marks();
  const bool is_root =
      names.evaluation().program.node(names.instance_scope().module).path.is_root();
  if (!check_ephemeral_output(output, is_root, marks, diags)) return result;
  if (is_root && !output.is_sensitive() && marks.is_sensitive()) {
    diags.error("Output refers to sensitive values")
        .detail(
            "The value is sensitive or derived from a sensitive value. To export it from the root "
            "module, set:\n    sensitive = true")
        .at(output.range);
  }
  if (diags.error_count() != before) return result;
  result.value = std::move(given);
  return result;
}

bool check_storable(const config::Output& output, const Value& given, diag::Diagnostics& diags) {
  const auto problem = value::json_problem(given);
  if (!problem) return true;
  diags.error("Output value cannot be stored")
      .detail(fmt::format("The value of this output cannot be stored in the state: {}.",
                          value::to_string(*problem)))
      .at(output.expr->range);
  return false;
}

}  // namespace tofu::eval
