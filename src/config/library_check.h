// Checks a function of a symbol library before anybody calls it.
//
// The function is computed with unknown arguments of the types that its parameters
// have, as `validate` does with the variables of a module. So what can never work is
// told at its place in the library, and not at every call: an attribute that a type does
// not have, a condition that is no truth value, a result that does not fit its type.
#pragma once

#include "config/library.h"
#include "diag/diagnostic.h"
#include "functions/table.h"

namespace tofu::config {

// Reports what is wrong. All names in the function are bound, what it needs is settled,
// and it is not broken.
void check_function(const Library& library, const LibraryFunction& function,
                    const functions::Table& builtin, diag::Diagnostics& diags);

}  // namespace tofu::config
