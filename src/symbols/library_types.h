// Types of a symbol library: its typedefs, and those in the signatures of its
// functions.
//
// A typedef may use others of the library, in any order, and those of imported
// libraries. Optional attributes and their defaults come along.
#pragma once

#include "diag/diagnostic.h"
#include "symbols/library.h"

namespace tofu::symbols {

// Fills in the constraint of every typedef. Reports cycles whole.
void settle_types(Library& library, diag::Diagnostics& diags);

// Fills in the types of parameters and result, once typedefs are settled. A function
// whose types are wrong is broken.
void settle_signature(const Library& library, LibraryFunction& function, diag::Diagnostics& diags);

}  // namespace tofu::symbols
