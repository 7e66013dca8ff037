// What the command line asks of a run: plan, apply, destroy and refresh.
//
// Read from the flags into plain values in one place, so that the rest of a run knows
// nothing of flags.
#pragma once

#include <optional>
#include <string>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "diag/diagnostic.h"
#include "engine/run.h"

namespace tofu::commands {

// The flags of every command that runs.
struct RunFlags {
  bool show_sensitive = false;
  JsonOptions json = {};
  InputOptions input = {};
  StateChangeOptions change = {};
  StateFileOptions files = {};
  OperationOptions operation = {};

  void declare(FlagSet& flags);
};

struct RunOptions {
  LoadOptions load = {};
  StateFileOptions files = {};
  LockOptions lock = {};
  engine::PlanOptions plan = {};
  unsigned parallelism = engine::kDefaultParallelism;
  bool input = true;  // ask for what is missing
  bool show_sensitive = false;
  bool in_automation = false;  // no advice on commands to run
};

// Nothing if and only if an error was added; mistakes in files that list addresses have
// their place there.
std::optional<RunOptions> run_options(const RunFlags& flags, World& world,
                                      diag::Diagnostics& diags);

}  // namespace tofu::commands
