// Many similar diagnostics told as one.
//
// A deprecated feature used five hundred times should not bury the one error
// below it. For people only: machine-readable output keeps every entry.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diag/diagnostic.h"

namespace tofu::diag {

// Keeps the first `threshold` (at least 1) of the diagnostics of one severity
// that are similar, and folds the rest into the last one kept. Those of the
// other severity and those without a place stay as they are, and so does the
// order.
std::vector<Diagnostic> consolidate(std::span<const Diagnostic> diagnostics, std::size_t threshold,
                                    Severity severity);

}  // namespace tofu::diag
