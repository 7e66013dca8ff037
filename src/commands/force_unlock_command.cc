#include <string>

#include "commands/command.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"force", FlagKind::Bool, "false", "force", "Do not ask before the lock is removed."},
    kJsonFlag,
    kJsonIntoFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

void unlock(const Flags& flags, World& world, diag::Diagnostics& diags) {
  if (flags.positional().size() != 1) {
    diags.error("One argument is needed")
        .detail("Give the ID of the lock, which the message about it shows.");
    return;
  }
  const auto store = open_store({}, flags, world, diags);
  if (store) store->force_unlock(flags.positional()[0], diags);
}

int run(const Request& request, World& world) {
  const auto progress = Progress::open(request, world);
  if (progress == nullptr) return kExitError;
  diag::Diagnostics diags;
  unlock(request.flags, world, diags);
  progress->problems(diags);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kForceUnlockCommand = {
    "force-unlock",
    "Remove a lock that was left behind",
    "[options] LOCK_ID",
    "Removes the lock on the state of the current workspace, whoever has it. The lock on a local "
    "state file ends with the process that took it, and cannot be removed.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
