#include "syntax/constants.h"

#include <fmt/format.h>
#include <utility>

#include "syntax/analysis.h"
#include "syntax/eval.h"
#include "syntax/type_expr.h"
#include "value/convert.h"
#include "value/path.h"

namespace tofu::syntax {

namespace {

// A constant as a known value of `type`, not null.
std::optional<value::Value> constant(const syntax::Expr& expr, value::Type type,
                                     diag::Diagnostics& diags) {
  const auto given = syntax::evaluate(expr, nullptr, diags);
  if (!given) return std::nullopt;
  std::string reason;
  auto converted = value::convert(*given, type);
  if (!converted) {
    reason = to_string(converted.error());
  } else if (converted->is_null()) {
    reason = "it is null";
  } else if (converted->is_unknown()) {
    reason = "the value is not known";
  } else {
    return std::move(*converted);
  }
  diags.error("Unsuitable value type")
      .detail(
          fmt::format("Expected a constant of type {}: {}.", syntax::type_expr_text(type), reason))
      .at(syntax::start_range(expr))
      .within(expr.range);
  return std::nullopt;
}

}  // namespace

diag::Checked<std::string> constant_string(const syntax::Expr& expr, diag::Diagnostics& diags) {
  const auto text = constant(expr, value::Type::string(), diags);
  if (!text) return std::nullopt;
  return std::string(text->plain().as_string());
}

diag::Checked<bool> constant_bool(const syntax::Expr& expr, diag::Diagnostics& diags) {
  const auto truth = constant(expr, value::Type::boolean(), diags);
  if (!truth) return std::nullopt;
  return truth->plain().as_bool();
}

}  // namespace tofu::syntax
