// Carrying out a plan: its changes, in an order that dependencies allow.
//
// Decides nothing: no action and no order that the plan does not have. An operation
// that fails ends what depends on it; the rest goes on. What was done is in the state
// that comes back, whatever the diagnostics say.
#pragma once

#include "diag/diagnostic.h"
#include "engine/run.h"
#include "engine/state_writer.h"

namespace tofu::engine {

// `planned` was made with the same program and variables. Returns the last
// state that `writer` got.
state::State apply_plan(const RunInputs& inputs, const Planned& planned, StateWriter& writer,
                        diag::Diagnostics& diags);
// The same for a plan whose values are not read afterwards. The values of each change become null
// after it, so that a large plan shrinks while its state grows.
state::State apply_consuming(const RunInputs& inputs, Planned& planned, StateWriter& writer,
                             diag::Diagnostics& diags);

}  // namespace tofu::engine
