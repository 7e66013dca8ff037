// A source location in a message: "main.tofu:12".
//
// For the second place of a diagnostic, such as an earlier declaration of the same name. The first
// is its range.
#pragma once

#include <string>

#include "diag/source.h"

namespace tofu::diag {

std::string place_text(const diag::SourceMap& sources, diag::SourceRange range);

}  // namespace tofu::diag
