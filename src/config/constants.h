// Arguments that have to be constants: no references, no function calls.
//
// In JSON syntax a string here is what it says; templates are not looked for.
// Whatever is not a constant of the right type is reported at its expression.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace tofu::config {

// Nothing if and only if an error was added. Null is an error, too.
std::optional<std::string> constant_string(const syntax::Expr& expr, diag::Diagnostics& diags);
std::optional<bool> constant_bool(const syntax::Expr& expr, diag::Diagnostics& diags);

}  // namespace tofu::config
