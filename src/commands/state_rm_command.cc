#include <fmt/format.h>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    kBackupFlag,
    {"dry-run", FlagKind::Bool, "false", "dry-run", "Only say what would be removed."},
    kIgnoreRemoteVersionFlag,
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kStateFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

std::optional<std::vector<addrs::AbsResourceInstance>> chosen(const state::State& state,
                                                              const Flags& flags,
                                                              diag::Diagnostics& diags) {
  std::vector<addrs::AbsResourceInstance> all;
  bool good = true;
  for (const std::string& argument : flags.positional()) {
    const auto found = matching_instances(state, argument, true, diags);
    good = good && found;
    if (found) all.insert(all.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return all;
}

void remove(const Flags& flags, Progress& progress, World& world, diag::Diagnostics& diags) {
  if (flags.positional().empty()) {
    diags.error("An address is needed")
        .detail("Give the addresses of modules, resources or instances to remove.");
    return;
  }
  auto open = open_for_surgery(std::string(flags.text("state")), std::string(flags.text("backup")),
                               "state-rm", flags, world, diags);
  if (!open) return;
  const auto instances = chosen(open->state, flags, diags);
  if (!instances) return;
  const bool dry = flags.is_true("dry-run");
  for (const addrs::AbsResourceInstance& address : *instances) {
    progress.line(fmt::format("{} {}", dry ? "Would remove" : "Removed", address.to_string()));
    if (!dry) open->state.remove_instance(address);
  }
  if (dry) {
    if (instances->empty()) progress.line("Would have removed nothing.");
    return;
  }
  if (instances->empty()) {
    diags.error("Nothing to remove")
        .detail("The state has none of these addresses. \"tofu state list\" shows what it has.");
    return;
  }
  if (!open->store->write(open->state, diags)) return;
  progress.line(fmt::format("Removed {} resource instance(s) from the state.", instances->size()));
}

int run(const Request& request, World& world) { return run_with_progress(request, world, remove); }

}  // namespace

const Command kStateRmCommand = {
    "state rm",
    "Forget resource instances without destroying them",
    "[options] ADDRESS...",
    "Removes instances from the state. The objects themselves stay as they are, and nobody looks "
    "after them any more: the next apply makes new ones, if the configuration still has them.\n\n"
    "A backup of the state is always kept.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
