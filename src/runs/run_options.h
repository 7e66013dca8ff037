// What the command line asks of a run: plan, apply, destroy and refresh.
//
// Read from the flags into plain values in one place, so that the rest of a run knows
// nothing of flags.
#pragma once

#include <optional>
#include <string>

#include "cli/flags.h"
#include "cli/option_groups.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "lint/request.h"
#include "runs/lint_options.h"
#include "runs/operation_options.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"
#include "workdir/options.h"

namespace tofu::runs {

// The flags of every command that runs.
struct RunFlags {
  bool show_sensitive = false;
  cli::JsonOptions json = {};
  cli::InputOptions input = {};
  workdir::StateChangeOptions change = {};
  workdir::StateFileOptions files = {};
  OperationOptions operation = {};
  LintOptions lint = {};

  void declare(cli::FlagSet& flags);
};

struct RunOptions {
  workdir::LoadOptions load = {};
  workdir::StateFileOptions files = {};
  workdir::LockOptions lock = {};
  engine::PlanOptions plan = {};
  lint::Request lint = {};
  unsigned parallelism = engine::kDefaultParallelism;
  bool input = true;  // ask for what is missing
  bool show_sensitive = false;
  bool in_automation = false;  // no advice on commands to run
};

// Errors in files that list addresses point into these files.
diag::Checked<RunOptions> run_options(const RunFlags& flags, const workdir::LoadContext& context,
                                      diag::Diagnostics& diags);

}  // namespace tofu::runs
