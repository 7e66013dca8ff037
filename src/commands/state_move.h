// What `state mv` does to states: which objects go where, and moving them.
//
// Pure functions over states; the command reads and stores them. Everything is
// checked before anything is moved, so that a state is changed wholly or not at all.
#pragma once

#include <optional>
#include <vector>

#include "addrs/parse.h"
#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::commands {

// Both of one kind: a module instance, a resource, or an instance of one.
struct StateMove {
  addrs::Target from;
  addrs::Target to;
};

// A module brings its descendants along, each as a move of its own. It is an error if
// an object does not exist, has the wrong kind or exists at the destination already.
diag::Checked<std::vector<StateMove>> plan_moves(const state::State& source,
                                                 const state::State& destination,
                                                 const addrs::Target& from, const addrs::Target& to,
                                                 diag::Diagnostics& diags);

// Both may be the same state. Objects that depend on what was moved forget their
// dependencies, which the next apply finds again.
void make_move(state::State& source, state::State& destination, const StateMove& move);

}  // namespace tofu::commands
