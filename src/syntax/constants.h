// Arguments that have to be constants: no references, no function calls.
//
// In JSON syntax a string here is literal; templates are not looked for. Expressions that are not
// constants of the right type are reported.
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace tofu::syntax {

// Null is an error, too.
diag::Checked<std::string> constant_string(const syntax::Expr& expr, diag::Diagnostics& diags);
diag::Checked<bool> constant_bool(const syntax::Expr& expr, diag::Diagnostics& diags);

}  // namespace tofu::syntax
