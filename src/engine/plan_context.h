// What a plan is made of: its options, the state, and what they mean for the program. The parts
// of planning share it; none of them changes it.
#pragma once

#include <set>
#include <utility>

#include "addrs/resource.h"
#include "engine/dependency_info.h"
#include "engine/lifecycle.h"
#include "engine/minimal_refresh.h"
#include "engine/moves.h"
#include "engine/program_rows.h"
#include "engine/run.h"
#include "engine/run_context.h"
#include "engine/targets.h"
#include "plans/plan.h"

namespace tofu::engine {

struct PlanContext {
  // All but `outcome` outlive it.
  PlanContext(RunContext& context, const PlanOptions& plan_options, MoveOutcome outcome,
              MinimalRefresh* minimal_refresh = nullptr)
      : run(context), options(plan_options), minimal(minimal_refresh), moves(std::move(outcome)) {
    dependencies.note_undeclared(moves.state);
  }
  PlanContext(const PlanContext&) = delete;
  PlanContext& operator=(const PlanContext&) = delete;

  RunContext& run;
  const PlanOptions& options;
  MinimalRefresh* const minimal;  // null: what is refreshed does not depend on what changes
  const MoveOutcome moves;        // the state, with objects at their new addresses
  const RemovedBlocks removed{*run.program.tree};
  // Of plans that follow the configuration, and of those that destroy.
  const Targeting targeting{
      run.program, moves.state,
      destroys() ? TargetOptions() : TargetOptions{options.targets, options.excludes}};
  const DestroyTargeting destroy_targeting{moves.state, {options.targets, options.excludes}};
  DependencyInfo dependencies{run.program, targeting.left_out()};
  const std::set<addrs::AbsResourceInstance> replace{options.replace.begin(),
                                                     options.replace.end()};
  const ActiveRows rows{run.program, run.inputs.substitutes,
                        destroys()
                            ? unneeded_to_destroy(run.program, moves.state, destroy_targeting)
                            : targeting.left_out()};

  const state::State& previous() const { return moves.state; }
  bool destroys() const { return options.mode == plans::Mode::Destroy; }
  bool only_refreshes() const { return options.mode == plans::Mode::RefreshOnly; }
  // Whether objects are imported and nothing else is done.
  bool only_imports() const { return !options.imports.empty(); }
  // Whether what import blocks name is imported by this plan.
  bool does_import() const {
    return options.mode == plans::Mode::Normal && !options.before_destroy;
  }
  // Whether objects that are destroyed are read before. A plan cannot show that this is needed, so
  // a minimal refresh does without, as in Terraform.
  bool reads_to_destroy() const { return options.refresh && minimal == nullptr; }
  // Rules that do not hold keep from applying, so they only matter to plans that are applied.
  diag::Severity rule_severity() const {
    return does_import() ? diag::Severity::Error : diag::Severity::Warning;
  }
};

}  // namespace tofu::engine
