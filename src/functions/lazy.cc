// Functions that get expressions instead of values: try, can and convert.
#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "diag/diagnostic.h"
#include "functions/conversion.h"
#include "functions/define.h"
#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/path.h"

namespace tofu::functions {

namespace {

using diag::Diagnostics;
using syntax::LazyCall;
using value::Type;
using value::Value;

// The errors of the expressions of try().
std::string list_problems(const Diagnostics& problems) {
  std::string out;
  for (const diag::Diagnostic& problem : problems.items()) {
    if (problem.severity != diag::Severity::Error) continue;
    out += fmt::format("\n- {}: {}", problem.summary, problem.detail);
  }
  return out;
}

std::optional<Value> try_each(const LazyCall& call, Diagnostics& diags) {
  Diagnostics problems;
  for (std::size_t i = 0; i < call.size(); ++i) {
    std::optional<Value> result = call.evaluate(i, problems);
    if (!result) continue;
    // As long as anything in it is unknown, it may still turn out to fail.
    if (!result->wholly_known()) return Value::unknown();
    return result;
  }
  const std::string detail =
      call.size() == 0 ? "The function try needs at least one expression to try."
                       : "No expression given to try succeeded:" + list_problems(problems);
  diags.error("Function call failed")
      .detail(detail)
      .at(syntax::start_range(call.call()))
      .within(call.call().range);
  return std::nullopt;
}

std::optional<Value> can_evaluate(const LazyCall& call, Diagnostics&) {
  Diagnostics ignored;
  const std::optional<Value> result = call.evaluate(0, ignored);
  if (!result) return Value::boolean(false);
  if (!result->wholly_known()) return Value::unknown(Type::boolean());
  return Value::boolean(true);
}

std::optional<Value> convert(const LazyCall& call, Diagnostics& diags) {
  const std::optional<Value> given = call.evaluate(0, diags);
  const syntax::ImportedSymbols* symbols =
      call.scope() == nullptr ? nullptr : call.scope()->symbols();
  syntax::TypeExprOptions options;
  if (symbols != nullptr) {
    options.named_type = [symbols](const syntax::CallExpr& name, syntax::TypeConstraint& out,
                                   Diagnostics& problems) {
      return symbols->named_type(name, out, problems);
    };
  }
  const auto constraint = syntax::read_type(call.argument(1), options, diags);
  if (!given || !constraint) return std::nullopt;

  auto converted = syntax::fit(*constraint, *given);
  if (converted) return *std::move(converted);
  diags.error("Invalid function argument")
      .detail(fmt::format("The argument \"value\" cannot be converted to {}: {}.",
                          syntax::type_expr_text(constraint->type), to_string(converted.error())))
      .at(syntax::start_range(call.argument(0)))
      .within(call.call().range);
  return std::nullopt;
}

}  // namespace

void add_lazy(List& list) {
  const Type any = Type::dynamic();
  define(list, "can", "Whether an expression can be evaluated without errors.")
      .takes("expression", any)
      .gives(Type::boolean())
      .may_give_null()
      .as_lazy(can_evaluate);
  define(list, "convert", "Converts a value to a type written as for a variable.")
      .takes("value", any, kAnything, "The value to convert.")
      .takes("type", Type::capsule("type"), {}, "The type to convert it to.")
      .gives(any)
      .may_give_null()
      .as_lazy(convert);
  define(list, "try", "The value of the first of the given expressions that has no errors.")
      .takes_many("expressions", any)
      .gives(any)
      .may_give_null()
      .as_lazy(try_each);
}

}  // namespace tofu::functions
