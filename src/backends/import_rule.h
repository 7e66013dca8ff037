// Whether one state may take the place of another, as `state push` asks.
//
// Lineage and serial are there for this question: a state of another history, or an older one of
// the same, must not replace the current one by accident.
#pragma once

#include <optional>
#include <string>

#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::backends {

// The reason why `incoming` may not replace `existing`, as a clause; nothing if it may. An empty
// state and one without a lineage never prevent it.
std::optional<std::string> refused_import(const state::State& incoming,
                                          const state::State* existing);

// Gives `state`, which follows a stored one with its serial, the next serial. Fails if no
// serial is left.
diag::Checked<void> raise_serial(state::State& state, diag::Diagnostics& diags);

}  // namespace tofu::backends
