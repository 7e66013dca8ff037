// The outputs of a plan: those of the root module as changes and in the state that the plan begins
// with, and those of other modules for what the plan depends on.
//
// Threads: any may keep an output; everything else comes after the walk.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/plan_context.h"
#include "engine/relevance.h"
#include "engine/row_walk.h"
#include "plans/plan.h"
#include "state/state.h"

namespace tofu::engine {

class OutputPlanner final : public RootOutputs {
 public:
  // The plan outlives it.
  explicit OutputPlanner(const PlanContext& plan) : plan_(plan), run_(plan.run) {}

  bool keep(const config::Output& output, const value::Value& v, diag::Diagnostics& diags) override;

  // Adds the changes of outputs.
  void plan_changes(plans::Plan& plan) const;
  // Outputs that are known by now are so in the state that the plan begins with.
  void refresh(state::State& prior) const;
  // The outputs of modules that have a value. They are new to every plan, since no state has them,
  // so they count as changed.
  std::vector<ModuleOutput> module_outputs() const;
  // Rules of outputs are not judged where everything is destroyed, but they are in its results.
  void expect_checks() const;

 private:
  const PlanContext& plan_;
  RunContext& run_;
  std::mutex mutex_;                             // for outputs_
  std::map<std::string, value::Value> outputs_;  // of the root
};

}  // namespace tofu::engine
