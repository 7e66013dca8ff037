// Checks functions and types of a symbol library independent of their uses.
//
// The function is computed with unknown arguments of the types that its parameters have, as
// `validate` does with the variables of a module. So errors are reported at their place in the
// library, and not at every call: an attribute that a type does not have, a condition that is no
// truth value, a result that does not fit its type.
#pragma once

#include "diag/diagnostic.h"
#include "functions/table.h"
#include "symbols/library.h"

namespace tofu::symbols {

// Reports what is wrong. All names in the function are bound, its dependencies are compiled, and it
// has no errors.
void check_function(const Library& library, const LibraryFunction& function,
                    const functions::Table& builtin, diag::Diagnostics& diags);

// The same for the rules of a type.
void check_type(const Library& library, const LibraryType& type, const functions::Table& builtin,
                diag::Diagnostics& diags);

}  // namespace tofu::symbols
