// The canonical layout of native-syntax source: what `fmt` does to a file.
//
// Works on tokens, so comments and odd spacing survive, and needs the file to
// parse. Formatting is idempotent and never changes tokens other than those that
// OpenTofu's fmt changes too (redundant "${x}", legacy type names, bare labels).
#pragma once

#include <string>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::syntax {

// Fails if the text does not parse.
diag::Checked<std::string> format_source(const diag::SourceMap& sources, diag::FileId id,
                                         diag::Diagnostics& diags);

}  // namespace tofu::syntax
