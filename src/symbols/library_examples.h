// Checks the examples of a library's functions: each call has to give what the example says.
//
// Not a part of compiling: commands that use a library do not make these calls, only those that
// check it.
#pragma once

#include "diag/diagnostic.h"
#include "functions/table.h"
#include "symbols/library.h"

namespace tofu::symbols {

// Reports every example that does not hold. The library is compiled.
void check_examples(const Library& library, const functions::Table& builtin,
                    diag::Diagnostics& diags);

}  // namespace tofu::symbols
