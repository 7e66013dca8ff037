#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct Options {
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

void unlock(const Options& options, World& world, diag::Diagnostics& diags) {
  if (options.arguments.size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the ID of the lock, which the message about it shows.");
    return;
  }
  const auto store = open_store({}, options.configuration, world, diags);
  if (store) store->force_unlock(options.arguments[0], diags);
}

int run(const Options& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress&, diag::Diagnostics& diags) {
    unlock(options, world, diags);
  });
}

}  // namespace

const Command kForceUnlockCommand = {
    "force-unlock",
    "Remove a lock that was left behind",
    "[options] LOCK_ID",
    "Removes the lock on the state of the current workspace, whoever holds it. The lock on a local "
    "state file ends with the process that took it, and cannot be removed.",
    action<Options, run>(),
};

}  // namespace tofu::commands
