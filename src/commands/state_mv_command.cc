#include <fmt/format.h>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "addrs/parse.h"
#include "base/overloaded.h"
#include "commands/address_argument.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/remote_workspace.h"
#include "commands/state_access.h"
#include "commands/state_move.h"

namespace tofu::commands {

namespace {

struct StateMvOptions {
  StateFileOptions files;
  std::string backup_out;
  bool dry_run = false;
  bool ignore_remote_version = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("dry-run", dry_run, {.help = "Only say what would be moved."});
    add_ignore_remote_version_flag(flags, ignore_remote_version);
    flags.include(json);
    add_state_flag(flags, files.state);
    add_backup_flag(flags, files.backup);
    flags.add("state-out", files.state_out,
              {.value = "FILE",
               .help = "Move to the state in this file.",
               .completes = Completes::Files});
    flags.add("backup-out", backup_out,
              {.value = "FILE",
               .help = "Keep a copy of the state that is moved to in this file.",
               .completes = Completes::Files});
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
    diags.error("Two arguments are needed")
        .detail("Give the address to move and the address to move it to.");
    return std::nullopt;
  }
  auto from = read_address(arguments[0], addrs::parse_target, sources, diags);
  auto to = read_address(arguments[1], addrs::parse_target, sources, diags);
  if (!from || !to) return std::nullopt;
  return Ends{std::move(*from), std::move(*to)};
}

// The state that is moved to, where it is another one.
struct Destination {
  std::unique_ptr<backends::Store> store;
  state::State state;
};

std::optional<Destination> open_destination(const StateMvOptions& options, World& world,
                                            diag::Diagnostics& diags) {
  const std::string& path = options.files.state_out;
  std::string backup = options.backup_out;
  if (backup.empty() || backup == "-") {
    backup = fmt::format("{}.{}.backup", path, world.environment.now().first);
  }
  Destination destination;
  destination.store =
      open_store({.state = path, .backup = backup}, options.change.configuration, world, diags);
  const LockOptions& lock = options.change.lock;
  if (!destination.store || !lock_store(*destination.store, "state-mv", lock, world, diags)) {
    return std::nullopt;
  }
  auto stored = read_for_change(*destination.store, lock.lock, diags);
  if (!stored) return std::nullopt;
  if (stored->state) destination.state = std::move(*stored->state);
  return destination;
}

void move(const StateMvOptions& options, Progress& progress, World& world,
          diag::Diagnostics& diags) {
  const auto ends = read_ends(options.arguments, world.sources, diags);
  if (!ends) return;
  if (options.files.state.empty() &&
      !check_remote_version(options.change.configuration, options.ignore_remote_version, world,
                            diags)) {
    return;
  }
  const auto listening = world.interrupts.listen();  // until the lock is given back
  auto open = open_for_surgery({.state = options.files.state, .backup = options.files.backup},
                               "state-mv", options.change, world, diags);
  if (!open) return;
  std::optional<Destination> other;
  if (!options.files.state_out.empty()) {
    other = open_destination(options, world, diags);
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

int run_state_mv(const StateMvOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    move(options, progress, world, diags);
  });
}

}  // namespace

const Command kStateMvCommand = {
    "state mv",
    "Move an item in the state to another address",
    "[options] SOURCE DESTINATION",
    "Moves a module, a resource or an instance to another address, in this state or in that of "
    "-state-out, so that its objects are kept when the configuration is rearranged. A moved block "
    "in the configuration does the same for everybody who uses it.\n\n"
    "A backup of each changed state is always kept.",
    action<StateMvOptions, run_state_mv>(),
    Completes::Addresses,
};

}  // namespace tofu::commands
