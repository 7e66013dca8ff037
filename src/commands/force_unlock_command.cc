#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct ForceUnlockOptions {
  bool force = false;
  JsonOptions json;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("force", force, {.help = "Do not ask before the lock is removed."});
    flags.include(json);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// A lock that a run holds is not to be taken away by a slip of the hand.
bool confirm(World& world, diag::Diagnostics& diags) {
  world.out.write(
      "Do you really want to remove the lock?\n  A run that still holds it may be overwritten by "
      "another. Only \"yes\" removes it.\n\n  Enter a value: ");
  world.out.flush();
  const auto listening = world.interrupts.listen();
  const auto answer = world.in.read_line(world.interrupts.token());
  world.out.line("");
  if (answer && *answer && **answer == "yes") return true;
  diags.error("The lock was not removed").detail("The answer was not \"yes\".");
  return false;
}

void unlock(const ForceUnlockOptions& options, Progress& progress, World& world,
            diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the ID of the lock, which the message about it shows.");
    return;
  }
  const auto store = open_store({}, options.configuration, world, diags);
  if (!store || (!options.force && !confirm(world, diags))) return;
  if (store->force_unlock(options.arguments[0], diags)) {
    progress.success("The lock was removed. Others can use the state again.");
  }
}

int run_force_unlock(const ForceUnlockOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    unlock(options, progress, world, diags);
  });
}

}  // namespace

const Command kForceUnlockCommand = {
    "force-unlock",
    "Remove a lock that was left behind",
    "[options] LOCK_ID",
    "Removes the lock on the state of the current workspace, whoever holds it. The lock on a local "
    "state file ends with the process that took it, and cannot be removed.",
    action<ForceUnlockOptions, run_force_unlock>(),
};

}  // namespace tofu::commands
