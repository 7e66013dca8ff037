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

#include "cli/environment.h"
#include "cli/keep_alive.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "eval/program.h"
#include "functions/table.h"
#include "runs/plan_file.h"
#include "runs/run_options.h"
#include "runs/run_providers.h"
#include "runs/run_view.h"
#include "runs/valid_program.h"
#include "value/value.h"
#include "workdir/access.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::runs {

class PreparedRun {
 public:
  // `plan_time` is what plantimestamp() gives.
  PreparedRun(std::shared_ptr<const workdir::Configuration> configuration, ValidProgram program,
              std::map<std::string, value::Value> variables, std::string plan_time,
              const workdir::LoadContext& context, RunProviders& providers);
  PreparedRun(const PreparedRun&) = delete;
  PreparedRun& operator=(const PreparedRun&) = delete;

  // A plan for `state`, with a warning if it is about a part of everything only.
  engine::Planned plan(const RunOptions& options, state::State state, plans::EventSink& events,
                       std::stop_token stop, diag::Diagnostics& diags);
  engine::RunInputs for_apply(const RunOptions& options, RunView& view, std::stop_token stop);

  const workdir::Configuration& configuration() const { return *configuration_; }
  const eval::Program& program() const { return *program_; }
  const eval::Deprecations& deprecations() const { return deprecations_; }

 private:
  std::shared_ptr<const workdir::Configuration> configuration_;
  std::shared_ptr<const eval::Program> program_;
  eval::Deprecations deprecations_;  // that were warned about
  std::map<std::string, value::Value> variables_;
  std::string plan_time_;
  // While planning, the time and chance are not known yet.
  functions::Table planning_functions_;
  functions::Table applying_functions_;
  eval::RunInfo planning_;
  eval::RunInfo applying_;
  const cli::Environment& environment_;
  RunProviders& providers_;
};

// What the functions of a run are made with. While planning, the time and chance are not
// known yet.
functions::Environment functions_of_run(const workdir::LoadContext& context,
                                        const std::string& plan_time, bool planning,
                                        functions::FoundFiles* found_files = nullptr);
// The time as plantimestamp() gives it: whole seconds.
std::string plan_time_now(const cli::Environment& environment);

// From the files in this directory.
diag::Checked<std::unique_ptr<PreparedRun>> prepare_run(const RunOptions& options,
                                                        workdir::StateAccess& access,
                                                        RunProviders& providers,
                                                        cli::KeepAlive& keep_alive,
                                                        diag::Diagnostics& diags);

// From a saved plan: with the configuration and the values that it has. Values of the
// command line are for ephemeral variables, which are never saved; others have to be
// those of the plan. A plan that was saved without an order gets it.
std::unique_ptr<PreparedRun> prepare_saved_run(PlanFile& file, const RunOptions& options,
                                               workdir::StateAccess& access,
                                               RunProviders& providers, cli::KeepAlive& keep_alive,
                                               diag::Diagnostics& diags);

}  // namespace tofu::runs
