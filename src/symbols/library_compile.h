// Settles a declared library: types are read, names are bound, cycles are found,
// values are computed, functions made callable and checked (library_check.h).
//
// Order in the files does not matter. Everything is checked even after errors, so that all errors
// are reported in one run.
#pragma once

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"
#include "symbols/library.h"
#include "symbols/library_calls.h"

namespace tofu::symbols {

// `library.imports` lead to compiled libraries. The table is self-contained (see
// functions::Environment) and outlives the library, as `sources` and `calls` do.
void compile_library(Library& library, const functions::Table& builtin,
                     const diag::SourceMap& sources, LibraryCalls& calls, diag::Diagnostics& diags);

}  // namespace tofu::symbols
