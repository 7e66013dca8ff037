// Many similar diagnostics shown as one.
//
// A deprecated feature used five hundred times should not bury the one error
// below it. For people only: machine-readable output keeps every entry.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "diag/diagnostic.h"

namespace tofu::diag {

// How many diagnostics with the same summary are shown in full before the rest is counted; at
// least 1. Of those that are similar by more than their summary (Diagnostic::similar_if) one is
// shown, which lists the places of the others.
struct Folding {
  std::size_t by_summary = 1;
};

// Keeps the first of the diagnostics of one severity that are similar, and folds the
// rest into the last one kept. Those of the other severity and those without a place
// stay as they are, and so does the order.
std::vector<Diagnostic> consolidate(std::span<const Diagnostic> diagnostics, Folding folding,
                                    Severity severity);

}  // namespace tofu::diag
