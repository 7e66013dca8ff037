// Evaluates `count`, `for_each` and `enabled`.
//
// Evaluates the expression and reports what can never be right: a null, a number
// below zero, a list where keys are needed, a secret that would become part of an
// address. Whether unknown values are allowed is for the caller to decide.
#pragma once

#include <cstdint>
#include <optional>

#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

// The count: a whole number, or unknown.
diag::Checked<value::Value> evaluate_count(const syntax::Expr& expr, const ModuleScope& names,
                                           diag::Diagnostics& diags);

// Whether there is an instance: a bool, or unknown.
diag::Checked<value::Value> evaluate_enabled(const syntax::Expr& expr, const ModuleScope& names,
                                             diag::Diagnostics& diags);

enum class Tuples : std::uint8_t { Refused, Allowed };

struct ForEach {
  // Whether the instances are known already. If not, a later evaluation of the same expression
  // reports its errors, too.
  bool known = true;
  // A map, object, set of strings or tuple, without its own marks; absent if
  // `known` is false or an error was added.
  std::optional<value::Value> elements;
};
ForEach evaluate_for_each(const syntax::Expr& expr, const ModuleScope& names, Tuples tuples,
                          diag::Diagnostics& diags);

}  // namespace tofu::eval
