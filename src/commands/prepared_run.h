// Everything a run is made with, found and checked: the configuration, its program, the
// values of its variables, the providers.
//
// A run from the files in this directory and one from a saved plan differ only in how
// they come to be.
#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>

#include "commands/configuration.h"
#include "commands/plan_file.h"
#include "commands/run_options.h"
#include "commands/run_providers.h"
#include "commands/run_view.h"
#include "commands/valid_program.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/program.h"
#include "functions/table.h"
#include "value/value.h"

namespace tofu::commands {

class PreparedRun {
 public:
  // `plan_time` is what plantimestamp() gives.
  PreparedRun(std::shared_ptr<const Configuration> configuration, ValidProgram program,
              std::map<std::string, value::Value> variables, std::string plan_time, World& world);
  PreparedRun(const PreparedRun&) = delete;
  PreparedRun& operator=(const PreparedRun&) = delete;

  // A plan for `state`, with a warning if it is about a part of everything only.
  engine::Planned plan(const RunOptions& options, state::State state, plans::EventSink& events,
                       std::stop_token stop, diag::Diagnostics& diags);
  engine::RunInputs for_apply(const RunOptions& options, RunView& view, std::stop_token stop);

  const Configuration& configuration() const { return *configuration_; }
  const eval::Program& program() const { return *program_; }
  const eval::Deprecations& deprecations() const { return deprecations_; }

 private:
  std::shared_ptr<const Configuration> configuration_;
  std::shared_ptr<const eval::Program> program_;
  eval::Deprecations deprecations_;  // that were warned about
  std::map<std::string, value::Value> variables_;
  std::string plan_time_;
  // While planning, the time and chance are not known yet.
  functions::Table planning_functions_;
  functions::Table applying_functions_;
  eval::Facts planning_;
  eval::Facts applying_;
  const Environment& environment_;
  RunProviders& providers_;
};

// What the functions of a run are made with. While planning, the time and chance are not
// known yet.
functions::Environment functions_of_run(const World& world, const std::string& plan_time,
                                        bool planning,
                                        functions::FoundFiles* found_files = nullptr);
// The time as plantimestamp() gives it: whole seconds.
std::string plan_time_now(const Environment& environment);

// From the files in this directory. Null if and only if an error was added.
std::unique_ptr<PreparedRun> prepare_run(const RunOptions& options, World& world,
                                         diag::Diagnostics& diags);

// From a saved plan: with the configuration and the values that it has. Values of the
// command line are for ephemeral variables, which are never saved; others have to be
// those of the plan.
std::unique_ptr<PreparedRun> prepare_saved_run(const PlanFile& file, const RunOptions& options,
                                               World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
