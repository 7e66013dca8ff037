#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/prompt.h"
#include "commands/context.h"
#include "commands/table.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct ForceUnlockOptions {
  bool force = false;
  cli::JsonOptions json;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("force", force, {.help = "Skip the confirmation prompt."});
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// A lock that a run holds is not to be taken away by a slip of the hand.
bool confirm(Context& context, diag::Diagnostics& diags) {
  const auto listening = context.cancellation.listen();
  const auto answer = cli::ask_person(
      "Do you really want to force-unlock?\n  OpenTofu will remove the lock on the state. If "
      "another process still holds it,\n  both may write the state. Only 'yes' will be accepted to "
      "confirm.\n\n  Enter a value: ",
      cli::Typing::Shown, context.terminal, context.cancellation);
  if (answer && *answer == "yes") return true;
  diags.error("Lock not removed").detail("Force-unlock was not confirmed with \"yes\".");
  return false;
}

void unlock(const ForceUnlockOptions& options, cli::Progress& progress, Context& context,
            diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("Missing lock ID")
        .detail("Expected one argument: the lock ID, as shown in the lock error message.");
    return;
  }
  const auto store = workdir::open_store({}, context.access, diags);
  if (!store || (!options.force && !confirm(context, diags))) return;
  if (store->force_unlock(options.arguments[0], diags)) {
    progress.success("The state has been unlocked. Other commands can now lock it.");
  }
}

int run_force_unlock(const ForceUnlockOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  unlock(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kForceUnlockCommand = {
    "force-unlock",
    "Release a stuck state lock",
    "[options] LOCK_ID",
    "Removes the lock on the state of the current workspace, even if another process holds it. "
    "Local state locks end with the process that holds them and cannot be force-unlocked.",
    cli::action<ForceUnlockOptions, run_force_unlock>(),
};

}  // namespace tofu::commands
