#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/json_writer.h"
#include "base/trim.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "cli/prompt.h"
#include "commands/context.h"
#include "commands/table.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct StateRecoverOptions {
  bool auto_approve = false;
  bool discard = false;
  bool dry_run = false;
  cli::JsonOptions json;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("auto-approve", auto_approve, {.help = "Skip the approval prompt."});
    flags.add("discard", discard,
              {.help = "Discard the journal. Changes recorded only in the journal are lost."});
    flags.add("dry-run", dry_run, {.help = "Only show the changes, without making them."});
    flags.include(json);
    flags.include(change);
    flags.arguments(arguments);
  }

  diag::Checked<void> check(diag::Diagnostics& diags) const {
    if (!cli::check_no_arguments(arguments, diags)) return false;
    if (json.json && !auto_approve && !discard && !dry_run) {
      diags.error("Approval required")
          .detail(
              "-json disables the approval prompt. Use -auto-approve, or -dry-run to only show the "
              "changes.");
      return false;
    }
    if (!discard || (!auto_approve && !dry_run)) return true;
    diags.error("Conflicting options")
        .detail(
            "-discard removes the journal without changing the state, so it cannot be combined "
            "with -auto-approve or -dry-run.");
    return false;
  }
};

struct EffectText {
  char symbol;
  std::string_view word;     // for programs
  std::string_view explain;  // for people
};

EffectText text_of(state::Effect effect, bool is_other_lineage) {
  switch (effect) {
    case state::Effect::Add: return {'+', "add", "only in the journal: added to the state"};
    case state::Effect::Update: return {'~', "update", "the journal has newer values"};
    case state::Effect::Remove:
      return {'-', "remove", "destroyed by the run: removed from the state"};
    case state::Effect::Keep:
      return {' ', "keep",
              is_other_lineage ? "the journal differs, but has another lineage: not changed"
                               : "the journal differs, but the state is newer: not changed"};
  }
  base::broken_promise("effect out of range");
}

class Recovering {
 public:
  Recovering(const StateRecoverOptions& options, backends::Store& store, cli::Progress& progress,
             Context& context, diag::Diagnostics& diags)
      : options_(options), store_(store), progress_(progress), context_(context), diags_(diags) {}

  void run() {
    const auto stored = store_.read(diags_);
    if (!stored) return;
    const auto found = workdir::pending_journals(store_, diags_);
    if (!found) return;
    state_ = stored->state;
    bool is_any_ours = false;
    for (const workdir::PendingJournal& pending : *found) {
      if (pending.is_left_alone()) {
        progress_.line(fmt::format("{}. It was not changed.", workdir::describe_owner(pending)));
        continue;
      }
      is_any_ours = true;
      if (!work_on(pending)) return;
    }
    if (!is_any_ours) progress_.line("No journal found. All runs have finished.");
  }

 private:
  // False if the rest is not to be done.
  bool work_on(const workdir::PendingJournal& pending) {
    state::Recovery recovery = state::recover(state_ ? &*state_ : nullptr, pending.journal);
    const workdir::Told told = show(recovery, pending);
    if (options_.dry_run) {
      if (recovery.changed) state_ = std::move(recovery.state);  // what comes next builds on it
      return true;
    }
    if (options_.discard) {
      if (!workdir::remove_journal(store_.disk(), pending, told, diags_)) return false;
      progress_.line("The journal was discarded.");
      return true;
    }
    if (recovery.changed) {
      if (!options_.auto_approve && !is_approved()) {
        if (!diags_.has_errors()) progress_.line("No changes were made.");
        return false;
      }
      state_ = std::move(recovery.state);
      if (!store_.write(*state_, diags_)) return false;
    }
    if (!put_away(recovery, pending, told)) return false;
    progress_.line(recovery.changed ? "The state was completed from the journal."
                                    : "The state already has all changes of the journal.");
    return true;
  }

  workdir::Told show(const state::Recovery& recovery, const workdir::PendingJournal& pending) {
    if (recovery.is_ambiguous) {
      progress_.note(fmt::format("Journal {}: {}.", pending.path, recovery.conflict));
    } else if (!recovery.conflict.empty()) {
      progress_.line(fmt::format("The journal does not match this state: {}.", recovery.conflict));
    }
    for (const state::ObjectEffect& one : recovery.effects) {
      const EffectText text = text_of(one.effect, recovery.is_other_lineage);
      progress_.typed_line(fmt::format("  {} {}: {}", text.symbol, one.subject, text.explain),
                           [&](base::JsonWriter& json) {
                             json.field("type", "journal_object");
                             json.field("address", one.subject);
                             json.field("action", text.word);
                           });
    }
    state::Recovery rest = recovery;  // the objects were shown
    rest.recovered.clear();
    return workdir::tell(workdir::describe(rest, pending), progress_);
  }

  // False if the answer is not yes, or, after an error, if there is none.
  bool is_approved() {
    progress_.line(
        "\nDo you want to make these changes to the state?\nOnly 'yes' will be accepted to "
        "approve.");
    const auto answer = cli::read_answer(context_.terminal, context_.cancellation.token());
    if (!answer || answer->empty()) {
      diags_.error("Approval required")
          .detail(
              "The changes to the state were not approved. No changes were made. Answer \"yes\" at "
              "the prompt, or use -auto-approve.");
      return false;
    }
    return base::trim_space(*answer) == "yes";
  }

  // Unused records of a journal of another lineage are in no other file.
  bool put_away(const state::Recovery& recovery, const workdir::PendingJournal& pending,
                workdir::Told told) {
    const bool has_more = recovery.is_other_lineage &&
                          std::ranges::any_of(recovery.effects, [](const state::ObjectEffect& one) {
                            return one.effect == state::Effect::Keep;
                          });
    if (!has_more) return workdir::remove_journal(store_.disk(), pending, told, diags_);
    const auto name = workdir::set_journal_aside(store_.disk(), pending.path, ".kept", diags_);
    if (!name) return false;
    progress_.line(fmt::format(
        "The journal has different values for objects in the state. It is kept as {}.", *name));
    return true;
  }

  const StateRecoverOptions& options_;
  backends::Store& store_;
  cli::Progress& progress_;
  Context& context_;
  diag::Diagnostics& diags_;
  std::optional<state::State> state_;
};

void recover(const StateRecoverOptions& options, cli::Progress& progress, Context& context,
             diag::Diagnostics& diags) {
  if (!options.check(diags)) return;
  const auto listening = context.cancellation.listen();  // until the lock is given back
  const auto store = workdir::open_store({}, context.access, diags);
  if (!store || !workdir::lock_store(*store, "state-recover", options.change.lock, context.settings,
                                     context.cancellation, diags))
    return;
  Recovering(options, *store, progress, context, diags).run();
}

int run_state_recover(const StateRecoverOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  recover(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kStateRecoverCommand = {
    "state recover",
    "Complete the state after an interrupted run",
    "[options]",
    "While a run makes changes, it records them in a journal. After an interrupted run, the next "
    "command that changes the state completes the state from the journal, unless the state has "
    "been changed since. In that case, this command lists the changes of the journal for each "
    "object, and makes them after your approval. It never replaces objects of a newer state "
    "or of another lineage.",
    cli::action<StateRecoverOptions, run_state_recover>(),
};

}  // namespace tofu::commands
