// The order in which the changes of a plan are made: what is destroyed when, and what
// is made before or after it.
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
// changes wait for each other, some give way (see Firmness in order.cc): what is needed by
// something else is always destroyed after that, and a replacement keeps its order.
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

// Whether a change makes, changes or reads an object.
bool makes(plans::Action action);
// Whether a change takes an object away, by itself or to make another one.
bool destroys(plans::Action action);

enum class StepKind : std::uint8_t {
  Barrier,  // does nothing
  Expand,   // finds the instances of a row
  Make,     // makes, changes or reads one of them
  Rest,     // does what there is to do about the instances of a row that do not change
  Destroy,  // destroys one object
  Forget,   // forgets all that is only forgotten
};

struct Step {
  StepKind kind = StepKind::Barrier;
  std::uint32_t subject = 0;  // of Expand and Rest: a row; of Make and Destroy: a change
};

struct ExecutionOrder {
  eval::Waits waits;
  std::uint32_t rows = 0;  // of the program; steps have the numbers from here on
  std::vector<Step> steps;
  std::vector<bool> has_steps;         // by row: whether its instances have some; or empty
  std::vector<std::uint32_t> forgets;  // changes
  // Nodes that wait for each other. With any, the plan cannot be carried out.
  std::vector<std::vector<std::uint32_t>> cycles;

  const Step& step(std::uint32_t node) const { return steps[node - rows]; }
  bool is_made_in_steps(eval::ObjectId row) const {
    return !has_steps.empty() && has_steps[row.index];
  }
};

// `prior` is the state that the plan begins with.
ExecutionOrder execution_order(const eval::Program& program, const plans::Plan& plan,
                               const state::State& prior);

// Reports each cycle whole.
void report_cycles(const ExecutionOrder& order, const eval::Program& program,
                   const plans::Plan& plan, diag::Diagnostics& diags);

}  // namespace tofu::engine
