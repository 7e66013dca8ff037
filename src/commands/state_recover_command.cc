#include <fmt/format.h>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/progress.h"
#include "commands/state_access.h"

namespace tofu::commands {

namespace {

struct StateRecoverOptions {
  bool discard = false;
  bool dry_run = false;
  JsonOptions json;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("discard", discard,
              {.help = "Discard the journal. What only the journal has is lost."});
    flags.add("dry-run", dry_run, {.help = "Only say what would be done."});
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }
};

void recover(const StateRecoverOptions& options, Progress& progress, World& world,
             diag::Diagnostics& diags) {
  if (!check_no_arguments(options.arguments, diags)) return;
  const auto listening = world.interrupts.listen();  // until the lock is given back
  const auto store = open_store({}, options.change.configuration, world, diags);
  if (!store || !lock_store(*store, "state-recover", options.change.lock, world, diags)) return;
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
  if (options.dry_run) return;
  if (options.discard) {
    if (remove_journal(left, path, diags)) progress.line("The journal was discarded.");
    return;
  }
  state::State state = left.recovery.state;
  if (left.recovery.changed && !store->write(state, diags)) return;
  if (!remove_journal(left, path, diags)) return;
  progress.line(left.recovery.changed
                    ? "The state was completed from the journal."
                    : "The state already has everything that the journal records.");
}

int run_state_recover(const StateRecoverOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    recover(options, progress, world, diags);
  });
}

}  // namespace

const Command kStateRecoverCommand = {
    "state recover",
    "Complete the state after a run that died",
    "[options]",
    "A run keeps a journal beside the state until the state is stored for good. The next command "
    "that changes the state completes it from the journal, unless somebody else has changed it "
    "since then. Then this command applies what still fits, or discards the journal.",
    action<StateRecoverOptions, run_state_recover>(),
};

}  // namespace tofu::commands
