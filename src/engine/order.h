// Computes the order in which the changes of a plan are made: what is destroyed when, and what
// is made before or after it. A plan gets it when it is made, and apply follows it.
//
// A pure function of the program, the plan and what the objects of the state depend on.
// The nodes of the graph are the rows of the program and, if anything is destroyed, steps:
// one for each object that is destroyed and one for each that is made, beside steps that only
// hold others back. A row whose instances have steps ends with them. As in OpenTofu:
//
// - a resource is destroyed after all that depends on it is;
// - what is replaced is destroyed, then made; or made, then everything that depends on
//   it is changed, then the old object is destroyed;
// - what is changed and depends on something that is destroyed is changed after that, or
//   before it if that is destroyed last;
// - what others depend on is changed after those of them are destroyed that are;
// - between resources of one module this holds within each instance of the module.
//
// Edges go through barriers, never from each instance to each other. Where these rules make
// changes wait for each other, some give way (see EdgeStrength in order.cc): what is needed by
// something else is always destroyed after that, and a replacement keeps its order.
#pragma once

#include <cstdint>
#include <vector>

#include "diag/diagnostic.h"
#include "eval/graph.h"
#include "eval/program.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::engine {

// Whether a change makes, changes or reads an object.
bool makes(plans::Action action);
// Whether a change takes an object away, by itself or to make another one.
bool destroys(plans::Action action);

// The nodes of an order: the rows of its program, then its steps. The order outlives it.
struct ExecutionGraph {
  const plans::ExecutionOrder& order;
  eval::Waits waits;
  std::vector<bool> has_steps;  // by row; empty: none has any

  bool is_step(std::uint32_t node) const { return node >= order.rows; }
  const plans::Step& step(std::uint32_t node) const { return order.steps[node - order.rows]; }
  // Whether the instances of the row are made in steps.
  bool is_made_in_steps(eval::ObjectId row) const {
    return !has_steps.empty() && has_steps[row.index];
  }
};

// The order was made for a program with as many rows.
ExecutionGraph execution_graph(const eval::Program& program, const plans::ExecutionOrder& order);

struct ComputedOrder {
  plans::ExecutionOrder order;
  // Nodes that wait for each other. With any, the plan cannot be applied.
  std::vector<std::vector<std::uint32_t>> cycles;
};

// `prior` is the state that the plan begins with; the plan knows its rows.
ComputedOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                              const state::State& prior);

// Gives a plan its order, or reports each cycle whole: then the plan cannot be applied.
diag::Checked<void> set_order(const eval::Program& program, plans::Plan& plan,
                              const state::State& prior, diag::Diagnostics& diags);

}  // namespace tofu::engine
