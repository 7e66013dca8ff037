#include <fmt/format.h>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "addrs/parse.h"
#include "base/overloaded.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/state_move.h"
#include "commands/table.h"
#include "diag/source.h"
#include "workdir/address_argument.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct StateMvOptions {
  workdir::StateFileOptions files;
  std::string backup_out;
  bool dry_run = false;
  bool ignore_remote_version = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("dry-run", dry_run, {.help = "Only print the moves, without making them."});
    workdir::add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    workdir::add_state_flag(flags, files.state);
    workdir::add_backup_flag(flags, files.backup);
    flags.add("state-out", files.state_out,
              {.value = "FILE",
               .help = "Move to the state in this file.",
               .completes = cli::Completes::Files});
    flags.add("backup-out", backup_out,
              {.value = "FILE",
               .help = "Back up the destination state to this file.",
               .completes = cli::Completes::Files});
    flags.include(change);
    flags.arguments(arguments);
  }
};

struct Ends {
  addrs::Target from;
  addrs::Target to;
};

std::optional<Ends> read_ends(std::span<const std::string> arguments, diag::SourceMap& sources,
                              diag::Diagnostics& diags) {
  if (arguments.size() != 2) {
    diags.error("Missing addresses")
        .detail("Expected two arguments: the source address and the destination address.");
    return std::nullopt;
  }
  auto from = workdir::read_address(arguments[0], addrs::parse_target, sources, diags);
  auto to = workdir::read_address(arguments[1], addrs::parse_target, sources, diags);
  if (!from || !to) return std::nullopt;
  return Ends{std::move(*from), std::move(*to)};
}

// The state that is moved to, where it is another one.
struct Destination {
  std::unique_ptr<backends::Store> store;
  state::State state;
};

std::optional<Destination> open_destination(const StateMvOptions& options, Context& context,
                                            diag::Diagnostics& diags) {
  const std::string& path = options.files.state_out;
  std::string backup = options.backup_out;
  if (backup.empty() || backup == "-") {
    backup = fmt::format("{}.{}.backup", path, context.environment().now().first);
  }
  Destination destination;
  destination.store = workdir::open_store({.state = path, .backup = backup}, context.access, diags);
  const workdir::LockOptions& lock = options.change.lock;
  if (!destination.store || !workdir::lock_store(*destination.store, "state-mv", lock,
                                                 context.settings, context.cancellation, diags)) {
    return std::nullopt;
  }
  const bool may_store = lock.lock && !options.dry_run;
  auto stored = workdir::read_for_change(*destination.store, may_store, context.terminal, diags);
  if (!stored) return std::nullopt;
  if (stored->state) destination.state = std::move(*stored->state);
  return destination;
}

void move(const StateMvOptions& options, cli::Progress& progress, Context& context,
          diag::Diagnostics& diags) {
  const auto ends = read_ends(options.arguments, context.sources, diags);
  if (!ends) return;
  if (options.files.state.empty() &&
      !workdir::check_remote_version(options.ignore_remote_version, context.access, diags)) {
    return;
  }
  const auto listening = context.cancellation.listen();  // until the lock is given back
  auto open = workdir::open_for_edit({.state = options.files.state, .backup = options.files.backup},
                                     "state-mv", options.change.lock,
                                     options.dry_run ? workdir::Edit::DryRun : workdir::Edit::Write,
                                     context.access, diags);
  if (!open) return;
  std::optional<Destination> other;
  if (!options.files.state_out.empty()) {
    other = open_destination(options, context, diags);
    if (!other) return;
  }
  state::State& into = other ? other->state : open->state;
  const auto moves = plan_moves(open->state, into, ends->from, ends->to, diags);
  if (!moves) return;
  const bool dry = options.dry_run;
  for (const StateMove& one : *moves) {
    progress.line(fmt::format("{} {} to {}", dry ? "Would move" : "Moved",
                              addrs::to_string(one.from), addrs::to_string(one.to)));
  }
  if (dry) return;
  for (const StateMove& one : *moves) make_move(open->state, into, one);
  // The new place first: when the second write fails, an object is known twice, never
  // not at all.
  if (other && !other->store->write(other->state, diags)) return;
  if (!open->store->write(open->state, diags)) return;
  progress.line(fmt::format("Moved {} object(s).", moves->size()));
}

int run_state_mv(const StateMvOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  move(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kStateMvCommand = {
    "state mv",
    "Move an item to another address in the state",
    "[options] SOURCE DESTINATION",
    "Moves a module, resource or instance to another address in this state, or in the state given "
    "by -state-out. Use it to keep objects when you rearrange the configuration. A moved block "
    "does the same for every state of the configuration.\n\nA backup of each changed state is "
    "always written.",
    cli::action<StateMvOptions, run_state_mv>(),
    cli::Completes::Addresses,
};

}  // namespace tofu::commands
