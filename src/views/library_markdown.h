// The reference of a symbol library as Markdown, for a README: what it offers to modules, with
// descriptions and examples.
//
// Sensitive values are named, not shown. The order is that of names, so that the text changes only
// where the library does.
#pragma once

#include <string>

#include "diag/source.h"
#include "symbols/library.h"

namespace tofu::views {

// Several lines, the last without its end. The library was compiled without errors from `sources`.
std::string library_markdown(const symbols::Library& library, const diag::SourceMap& sources);

}  // namespace tofu::views
