#include "eval/lifecycle.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "eval/expressions.h"
#include "syntax/eval.h"
#include "syntax/shown.h"
#include "value/convert.h"
#include "value/marks.h"

namespace tofu::eval {

using value::Type;
using value::Value;

void check_prevent_destroy(const config::Resource& resource, diag::Diagnostics& diags) {
  if (resource.prevent_destroy == nullptr) return;
  diag::Diagnostics ignored;
  const auto constant = syntax::evaluate(*resource.prevent_destroy, nullptr, ignored);
  if (!constant) return;
  const auto truth = value::convert(*constant, Type::boolean());
  if (truth) return;
  diags.error("Invalid value for prevent_destroy")
      .detail(fmt::format("prevent_destroy must be true or false: {}.",
                          value::to_string(truth.error())))
      .at(resource.prevent_destroy->range);
}

std::optional<Value> evaluate_prevent_destroy(const config::Resource& resource,
                                              const ModuleScope& names, diag::Diagnostics& diags) {
  if (resource.prevent_destroy == nullptr) return Value::boolean(false);
  const syntax::Expr& expr = *resource.prevent_destroy;
  const auto given = evaluate(expr, names, diags);
  if (!given) return std::nullopt;
  const auto refuse = [&](std::string detail, syntax::ShowAlso also = {}) {
    diags.error("Invalid value for prevent_destroy")
        .detail(std::move(detail))
        .at(expr.range)
        .values(syntax::shown_values(expr, &names, also));
  };
  const std::size_t before = diags.error_count();
  auto truth = value::convert(given->unmarked(), Type::boolean());
  if (!truth) {
    refuse(
        fmt::format("prevent_destroy must be true or false: {}.", value::to_string(truth.error())));
  }
  if (given->marks().is_sensitive()) {
    refuse(
        "The value is sensitive or derived from a sensitive value, which the plan would reveal. "
        "Use nonsensitive() if the value can be shown.",
        {.confidential = true});
  }
  if (given->marks().is_ephemeral()) {
    refuse(
        "The value is ephemeral or derived from an ephemeral value. It must be the same during "
        "plan and apply.",
        {.confidential = true});
  }
  if (diags.error_count() != before) return std::nullopt;
  return std::move(*truth);
}

}  // namespace tofu::eval
