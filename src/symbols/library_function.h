// Functions of symbol libraries, made callable like built-in ones.
//
// The call protocol (syntax/function.h) converts arguments to the types of the
// parameters; defaults of optional attributes, validation rules, locals and the
// result are settled here. Unknown, null and marked arguments go into the
// expressions as they are, so they come out as the expressions let them.
//
// Nothing of a call outlives it but its outcome in LibraryCalls, so a function may be
// called from several threads.
#pragma once

#include "diag/source.h"
#include "functions/table.h"
#include "symbols/library.h"
#include "symbols/library_calls.h"
#include "syntax/function.h"

namespace tofu::symbols {

// Everything given outlives the result. `function` is looked at when it is called, so
// it may be settled further until then.
syntax::Function make_callable(const Library& library, const LibraryFunction& function,
                               const functions::Table& builtin, const diag::SourceMap& sources,
                               LibraryCalls& calls);

}  // namespace tofu::symbols
