// Settles a declared library: types are read, names are bound, cycles are found,
// values are computed, functions made callable and checked (library_check.h).
//
// Order in the files does not matter. Everything is looked at even if some of it is
// wrong, so that all mistakes come in one run.
#pragma once

#include "config/library.h"
#include "config/library_calls.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "functions/table.h"

namespace tofu::config {

// `library.imports` lead to compiled libraries. The table is self-contained (see
// functions::Environment) and outlives the library, as `sources` and `calls` do.
void compile_library(Library& library, const functions::Table& builtin,
                     const diag::SourceMap& sources, LibraryCalls& calls, diag::Diagnostics& diags);

}  // namespace tofu::config
