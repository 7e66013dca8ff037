// The order of a plan that was read from a file.
//
// Apply follows it as it stands, so it has to be one for the program at hand, to make each change
// once, and to have no cycle. A plan whose order does not fit, as one that an earlier version of
// tofu saved without any, gets it now.
#pragma once

#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/program.h"

namespace tofu::engine {

// The plan was made with this program, perhaps as compiled by another version of tofu.
diag::Checked<void> complete_order(const eval::Program& program, Planned& planned,
                                   diag::Diagnostics& diags);

}  // namespace tofu::engine
