// Types and defaults of variables, settled once named types are known.
//
// Kept out of declare_module() because a type may come from a symbol library,
// which is known only when modules are linked. Mistakes are reported as if the
// module's files had just been read.
#pragma once

#include <functional>

#include "config/module.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"
#include "syntax/type_expr.h"

namespace tofu::config {

// How a call in a type that is not a constructor is read; see TypeExprOptions.
using NamedType =
    std::function<bool(const syntax::CallExpr&, syntax::TypeConstraint&, diag::Diagnostics&)>;

// Fills in constraint, default_value and parsing_mode of every variable. A default
// that is wrong becomes unknown, a type that is wrong `any`.
void resolve_variable_types(Module& module, const NamedType& named_type, diag::Diagnostics& diags);

// Warns about attributes in object literals inside `expr` that a conversion to
// `type` drops.
void warn_of_dropped_attributes(const syntax::Expr& expr, value::Type type,
                                diag::Diagnostics& diags);

}  // namespace tofu::config
