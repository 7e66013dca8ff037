// The order in which the changes of a plan are made: what is destroyed when, and what
// is made before or after it.
//
// A pure function of the program, the plan and what the objects of the state depend on.
// The nodes of the graph are the rows of the program, where objects are made, changed
// and read, and after them nodes that destroy: of each resource in each instance of its
// module one for what goes before a new object is made, and one for what goes after
// that (create_before_destroy, and objects that were deposed). As in OpenTofu:
//
// - a resource is destroyed after all that depends on it is;
// - what is replaced is destroyed, then made; or made, then everything that depends on
//   it is changed, then the old object is destroyed;
// - what is changed and depends on something that is destroyed is changed after that, or
//   before it if that is destroyed last;
// - what others depend on is changed after those of them are destroyed that are;
// - between resources of one module this holds within each instance of the module.
//
// Edges go through barriers, never from each instance to each other. An edge between
// objects of different providers is left out if it closes a cycle: a provider that is
// configured with what another one makes would never get to destroy anything. So are those by
// which an object goes last: after its successor is changed, if it was deposed earlier, and after
// what it depends on is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/diagnostic.h"
#include "eval/graph.h"
#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::engine {

struct ExecutionOrder {
  eval::Waits waits;
  std::uint32_t rows = 0;  // of the program; other nodes have the numbers from here on
  // By number of the node, from `rows` on.
  std::vector<std::vector<std::uint32_t>> destroys;
  std::vector<std::string> names;  // likewise: what is destroyed; empty for barriers
  // By edge: whether a row waits for the destruction of objects that it replaces. Where
  // some of these cannot be destroyed, the others are replaced all the same.
  std::vector<bool> replaces;
  // Nodes that wait for each other. With any, the plan cannot be carried out.
  std::vector<std::vector<std::uint32_t>> cycles;

  // Positions in Plan::changes of what a node destroys or forgets; nothing for barriers.
  // The rows do the rest: they make, and they forget what they then make anew.
  const std::vector<std::uint32_t>& destroys_of(std::uint32_t node) const {
    return destroys[node - rows];
  }
};

// `prior` is the state that the plan begins with.
ExecutionOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                               const state::State& prior);

// Reports each cycle whole.
void report_cycles(const ExecutionOrder& order, const eval::Program& program,
                   diag::Diagnostics& diags);

}  // namespace tofu::engine
