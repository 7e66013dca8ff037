#include <fmt/format.h>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/source.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct StateRmOptions {
  workdir::StateFileOptions files;
  bool dry_run = false;
  bool ignore_remote_version = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> addresses;

  void declare(cli::FlagSet& flags) {
    flags.add("dry-run", dry_run, {.help = "Only print the items, without removing them."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    workdir::add_state_flag(flags, files.state);
    workdir::add_backup_flag(flags, files.backup);
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
    const auto found = workdir::matching_instances(state, argument, true, sources, diags);
    good = good && found;
    if (found) all.insert(all.end(), found->begin(), found->end());
  }
  if (!good) return std::nullopt;
  return all;
}

void remove(const StateRmOptions& options, cli::Progress& progress, Context& context,
            diag::Diagnostics& diags) {
  if (options.addresses.empty()) {
    diags.error("Missing address")
        .detail("Expected one or more addresses of modules, resources or instances to remove.");
    return;
  }
  if (options.files.state.empty() &&
      !workdir::check_remote_version(options.ignore_remote_version, context.access, diags)) {
    return;
  }
  const auto listening = context.cancellation.listen();  // until the lock is given back
  auto open = workdir::open_for_edit(options.files, "state-rm", options.change.lock,
                                     options.dry_run ? workdir::Edit::DryRun : workdir::Edit::Write,
                                     context.access, diags);
  if (!open) return;
  const auto instances = chosen(open->state, options, context.sources, diags);
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
    diags.error("Invalid target address")
        .detail(
            "No matching objects found in the state. Run \"tofu state list\" to see all "
            "addresses.");
    return;
  }
  if (!open->store->write(open->state, diags)) return;
  progress.line(fmt::format("Removed {} resource instance(s) from the state.", instances->size()));
}

int run_state_rm(const StateRmOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  remove(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kStateRmCommand = {
    "state rm",
    "Remove items from the state without destroying them",
    "[options] ADDRESS...",
    "Removes resource instances from the state. The real objects are not changed and no longer "
    "managed; if they are still in the configuration, the next apply creates new ones.\n\nA backup "
    "of the state is always written.",
    cli::action<StateRmOptions, run_state_rm>(),
    cli::Completes::Addresses,
};

}  // namespace tofu::commands
