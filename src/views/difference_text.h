// The two sides of a comparison that does not hold, line by line.
//
// As a plan shows a change from the left one to the right one, for the diagnostic about it. The
// input documents contain no sensitive values.
#pragma once

#include <string>

#include "diag/diagnostic.h"

namespace tofu::views {

// Without a final line feed; empty if there is nothing to show.
std::string difference_text(const diag::ShownDifference& shown, bool color);

}  // namespace tofu::views
