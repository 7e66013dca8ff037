// Types of a symbol library: its typedefs, and those in the signatures of its
// functions.
//
// A typedef may use others of the library, in any order, and those of imported
// libraries. Optional attributes and their defaults come along.
#pragma once

#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "symbols/library.h"
#include "syntax/ast.h"

namespace tofu::symbols {

// Fills in the constraint of every typedef, with rules that are not to be checked before their
// names are bound. Reports cycles whole. Everything outlives the library.
void settle_types(Library& library, const functions::Table& builtin, const diag::SourceMap& sources,
                  diag::Diagnostics& diags);

// The types of libraries that a type expression names, without those that do not exist.
std::vector<const LibraryType*> types_in(const Library& library, const syntax::Expr& type);

// Fills in the types of parameters and result, once typedefs are settled. A function
// whose types are wrong is broken.
void settle_signature(const Library& library, LibraryFunction& function, diag::Diagnostics& diags);

}  // namespace tofu::symbols
