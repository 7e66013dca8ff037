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

// `planned` was made with the same program and variables. The state that comes back is
// the last that `writer` was told of.
state::State apply_plan(const RunInputs& inputs, const Planned& planned, StateWriter& writer,
                        diag::Diagnostics& diags);
// The same of a plan whose values nobody looks at afterwards. Those of a change are null once it
// was made, so that a large plan goes as the state comes that is made of it.
state::State apply_and_spend(const RunInputs& inputs, Planned& planned, StateWriter& writer,
                             diag::Diagnostics& diags);

}  // namespace tofu::engine
