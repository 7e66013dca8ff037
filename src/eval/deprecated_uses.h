// Finds uses of deprecated outputs and of deprecated parts of resources in an expression.
//
// An expression that names such a source is reported wherever it stands: `module.m.old`,
// `module.m[key].old`, `module.m[*].old`, `local.the_module.old`. An output that is reached without
// being named, as a part of a whole module or through a `for`, is reported where the value is used.
// A reported value loses its mark, so it is not reported again.
#pragma once

#include <cstdint>
#include <optional>

#include "diag/diagnostic.h"
#include "eval/module_scope.h"
#include "syntax/ast.h"
#include "value/value.h"

namespace tofu::eval {

enum class Until : std::uint8_t {
  Named,  // the value is passed on, and reported where it is used
  Used,
};

// Returns the value with the marks that were not reported. Nothing if there are none.
std::optional<value::Value> warn_of_deprecated(const syntax::Expr& expr, const ModuleScope& names,
                                               Until until, diag::Diagnostics& diags);

}  // namespace tofu::eval
