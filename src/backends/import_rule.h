// Whether one state may take the place of another, as `state push` asks.
//
// Lineage and serial are there for this question: a state of another history, or an
// older one of the same, must not replace what is in use by mistake.
#pragma once

#include <optional>
#include <string>

#include "state/state.h"

namespace tofu::backends {

// The reason why `incoming` may not replace `existing`, as a clause; nothing if it
// may. An empty state, and one without a lineage, stand in nobody's way.
std::optional<std::string> refused_import(const state::State& incoming,
                                          const state::State* existing);

}  // namespace tofu::backends
