#include <fmt/format.h>
#include <string>

#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/state_access.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"discard", FlagKind::Bool, "false", "discard",
     "Give the journal up. What only it tells of is lost."},
    {"dry-run", FlagKind::Bool, "false", "dry-run", "Only say what would be done."},
    kJsonFlag,
    kJsonIntoFlag,
    kLockFlag,
    kLockTimeoutFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

void recover(const Flags& flags, Progress& progress, World& world, diag::Diagnostics& diags) {
  if (!check_no_arguments(flags, diags)) return;
  const auto store = open_store({}, flags, world, diags);
  if (!store || !lock_store(*store, "state-recover", flags, world, diags)) return;
  const auto stored = store->read(diags);
  if (!stored) return;
  const auto search = find_left_over(*store, *stored, diags);
  if (!search) return;
  if (!search->found) return progress.line("There is no journal. Every run has ended.");

  const LeftOver& left = *search->found;
  const std::string path = store->journal_path();
  if (!left.recovery.conflict.empty()) {
    progress.line(
        fmt::format("The journal does not belong to this state: {}.", left.recovery.conflict));
  }
  if (const std::string text = describe(left, path); !text.empty()) progress.note(text);
  if (flags.is_true("dry-run")) return;
  if (flags.is_true("discard")) {
    if (put_away_journal(left, path, diags)) progress.line("The journal was given up.");
    return;
  }
  state::State state = left.recovery.state;
  if (left.recovery.changed && !store->write(state, diags)) return;
  if (!put_away_journal(left, path, diags)) return;
  progress.line(left.recovery.changed ? "The state was completed from the journal."
                                      : "The state has everything that the journal tells.");
}

int run(const Request& request, World& world) { return run_with_progress(request, world, recover); }

}  // namespace

const Command kStateRecoverCommand = {
    "state recover",
    "Complete the state after a run that died",
    "[options]",
    "A run keeps a journal beside the state until the state is stored for good. The next command "
    "that changes the state completes it from there by itself, unless somebody else has changed "
    "it meanwhile. Then this command applies what still fits, or gives the journal up.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
