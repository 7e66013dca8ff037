// Types of variables and outputs and defaults of variables, settled once named types are known.
//
// Kept out of declare_module() because a type may come from a symbol library, which is known only
// when modules are linked. Errors are reported as if the module's files had just been read.
#pragma once

#include "config/module.h"
#include "diag/diagnostic.h"
#include "symbols/symbol_source.h"
#include "syntax/ast.h"
#include "value/type.h"

namespace tofu::config {

// Fills in constraint, default_value and parsing_mode of every variable, and the constraint of
// every output. A default that is wrong becomes unknown, a type that is wrong `any`. Types and
// defaults may use `symbols`; null if there are none.
void resolve_declared_types(Module& module, const symbols::SymbolSource* symbols,
                            diag::Diagnostics& diags);

// Warns about attributes in object literals inside `expr` that a conversion to
// `type` drops.
void warn_of_dropped_attributes(const syntax::Expr& expr, value::Type type,
                                diag::Diagnostics& diags);

}  // namespace tofu::config
