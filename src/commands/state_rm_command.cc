#include <fmt/format.h>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct StateRmOptions {
  StateFileOptions files;
  bool dry_run = false;
  bool ignore_remote_version = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> addresses;

  void declare(FlagSet& flags) {
    flags.add("dry-run", dry_run, {.help = "Only say what would be removed."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    add_state_flag(flags, files.state);
    add_backup_flag(flags, files.backup);
    flags.include(change);
    flags.arguments(addresses);
  }
};

std::optional<std::vector<addrs::AbsResourceInstance>> chosen(const state::State& state,
                                                              const StateRmOptions& options,
                                                              diag::SourceMap& sources,
                                                              diag::Diagnostics& diags) {
  std::vector<addrs::AbsResourceInstance> all;
  bool good = true;
  for (const std::string& argument : options.addresses) {
    const auto found = matching_instances(state, argument, true, sources, diags);
    good = good && found;
    if (found) all.insert(all.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return all;
}

void remove(const StateRmOptions& options, Progress& progress, World& world,
            diag::Diagnostics& diags) {
  if (options.addresses.empty()) {
    diags.error("An address is needed")
        .detail("Give the addresses of modules, resources or instances to remove.");
    return;
  }
  if (options.files.state.empty() &&
      !check_remote_version(options.change.configuration, options.ignore_remote_version, world,
                            diags)) {
    return;
  }
  const auto listening = world.interrupts.listen();  // until the lock is given back
  auto open = open_for_surgery(options.files, "state-rm", options.change, world, diags);
  if (!open) return;
  const auto instances = chosen(open->state, options, world.sources, diags);
  if (!instances) return;
  const bool dry = options.dry_run;
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

int run_state_rm(const StateRmOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    remove(options, progress, world, diags);
  });
}

}  // namespace

const Command kStateRmCommand = {
    "state rm",
    "Forget resource instances without destroying them",
    "[options] ADDRESS...",
    "Removes instances from the state. The objects themselves are not changed, and "
    "are no longer managed: the next apply creates new ones, if the configuration still has "
    "them.\n\n"
    "A backup of the state is always kept.",
    action<StateRmOptions, run_state_rm>(),
    Completes::Addresses,
};

}  // namespace tofu::commands
