#include <fmt/format.h>
#include <string>
#include <variant>
#include <vector>

#include "addrs/text.h"
#include "base/overloaded.h"
#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/state_move.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    kBackupFlag,
    {"backup-out", FlagKind::Text, "", "backup-out=FILE",
     "Keep a copy of the state that is moved to in this file.", Completes::Files},
    {"dry-run", FlagKind::Bool, "false", "dry-run", "Only say what would be moved."},
    kIgnoreRemoteVersionFlag,
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kStateFlag,
    {"state-out", FlagKind::Text, "", "state-out=FILE", "Move to the state in this file.",
     Completes::Files},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

struct Ends {
  addrs::Target from;
  addrs::Target to;
};

std::optional<Ends> read_ends(const Flags& flags, diag::Diagnostics& diags) {
  if (flags.positional().size() != 2) {
    diags.error("Two arguments are needed")
        .detail("Give the address to move and the address to move it to.");
    return std::nullopt;
  }
  auto from = addrs::parse_text(flags.positional()[0], addrs::parse_target, diags);
  auto to = addrs::parse_text(flags.positional()[1], addrs::parse_target, diags);
  if (!from || !to) return std::nullopt;
  return Ends{std::move(*from), std::move(*to)};
}

// The state that is moved to, where it is another one.
struct Destination {
  std::unique_ptr<backends::Store> store;
  state::State state;
};

std::optional<Destination> open_destination(const Flags& flags, World& world,
                                            diag::Diagnostics& diags) {
  const std::string path(flags.text("state-out"));
  std::string backup(flags.text("backup-out"));
  if (backup.empty() || backup == "-") {
    backup = fmt::format("{}.{}.backup", path, world.environment.now().first);
  }
  Destination destination;
  destination.store = open_store({.state = path, .backup = backup}, flags, world, diags);
  if (!destination.store || !lock_store(*destination.store, "state-mv", flags, world, diags)) {
    return std::nullopt;
  }
  auto stored = read_for_change(*destination.store, flags.is_true(kLockFlag.name), diags);
  if (!stored) return std::nullopt;
  if (stored->state) destination.state = std::move(*stored->state);
  return destination;
}

void move(const Flags& flags, Progress& progress, World& world, diag::Diagnostics& diags) {
  const auto ends = read_ends(flags, diags);
  if (!ends) return;
  auto open = open_for_surgery(std::string(flags.text("state")), std::string(flags.text("backup")),
                               "state-mv", flags, world, diags);
  if (!open) return;
  std::optional<Destination> other;
  if (!flags.text("state-out").empty()) {
    other = open_destination(flags, world, diags);
    if (!other) return;
  }
  state::State& into = other ? other->state : open->state;
  const auto moves = plan_moves(open->state, into, ends->from, ends->to, diags);
  if (!moves) return;
  const bool dry = flags.is_true("dry-run");
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

int run(const Request& request, World& world) { return run_with_progress(request, world, move); }

}  // namespace

const Command kStateMvCommand = {
    "state mv",
    "Give something in the state another address",
    "[options] SOURCE DESTINATION",
    "Moves a module, a resource or an instance to another address, in this state or in that of "
    "-state-out, so that its objects are kept when the configuration is rearranged. A moved block "
    "in the configuration does the same for everybody who uses it.\n\n"
    "A backup of each changed state is always kept.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
