// Making a plan: what would have to happen for everything to be as the configuration
// says, and in which order.
//
// Nothing outside is changed and no state is stored. Errors do not end the work:
// everything that does not depend on them is planned all the same, so that one run reports as
// much as possible.
#pragma once

#include "diag/diagnostic.h"
#include "engine/run.h"

namespace tofu::engine {

// `state` is what the last run stored. The plan is marked as errored if errors were
// added; then it can be shown, but not applied. One that is not errored has its order.
Planned make_plan(const RunInputs& inputs, const PlanOptions& options, state::State state,
                  diag::Diagnostics& diags);

}  // namespace tofu::engine
