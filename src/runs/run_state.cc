#include "runs/run_state.h"

#include <fmt/format.h>
#include <utility>

#include "backends/import_rule.h"
#include "backends/rescue.h"
#include "base/hashes.h"
#include "base/uuid.h"
#include "cli/command.h"
#include "cli/version_info.h"
#include "engine/state_writer.h"
#include "state/journal_writer.h"
#include "state/recovery.h"
#include "syntax/ast.h"
#include "workdir/journal_recovery.h"

namespace tofu::runs {

namespace {

// What it does to which object.
std::string digest_of(const plans::Plan& plan) {
  std::string text = plan.timestamp + "\n";
  for (const plans::ResourceChange& change : plan.changes) {
    text += plan.addresses.instance(change.resource, change.key).to_string();
    text += ' ';
    text += std::to_string(static_cast<int>(change.action));
    text += '\n';
  }
  return base::sha256_hex(text);
}

// Stores states of one run, one after the other. What is about to be stored is in the
// journal first, so that a later run recognizes it as a state of this run.
class Saving {
 public:
  Saving(backends::Store& store, state::JournalWriter* journal,
         const std::optional<state::State>& known, base::Runtime& runtime)
      : store_(store), journal_(journal), runtime_(runtime), known_(known) {}

  bool save(state::State& state, diag::Diagnostics& diags) {
    if (!write(state, diags)) return false;
    known_ = state;
    return true;
  }

 private:
  bool write(state::State& state, diag::Diagnostics& diags) {
    if (journal_ == nullptr) return store_.write(state, diags);
    std::uint64_t serial = known_ ? known_->serial : 0;
    if (!known_ || !state::same_content(state, *known_)) {
      serial = state::next_serial(serial).value_or(serial);  // the store refuses it otherwise
    }
    // Beside writing the state, which takes as long, but before anybody sees it.
    base::Task announcing;
    base::Thread thread = runtime_.start_or_run(syntax::kTaskStack, [&, content = state] {
      announcing.run([&] {
        // If this cannot be written, storing the state is what is left to try.
        (void)journal_->write(state::JournalSaving{serial, state::content_digest(content)}).ok();
      });
    });
    const bool written = store_.write(
        state, [&] { thread.join(); }, diags);
    thread.join();
    announcing.check();
    return written;
  }

  backends::Store& store_;
  state::JournalWriter* journal_;
  base::Runtime& runtime_;
  std::optional<state::State> known_;  // as last stored
};

// Nothing if there is to be none, or after an error.
std::optional<workdir::NewJournal> open_journal(const state::State& prior, const plans::Plan& plan,
                                                const std::string& digest, const RunState& run,
                                                diag::Diagnostics& diags) {
  if (!plan.applyable) return std::nullopt;
  // Asked before anything changes that could not be stored.
  state::State next = run.state.value_or(state::State());
  if (!backends::raise_serial(next, diags)) return std::nullopt;
  auto journal = workdir::create_journal(*run.store, {.lineage = prior.lineage,
                                                      .serial = run.state ? run.state->serial : 0,
                                                      .is_new = !run.state,
                                                      .workspace = run.workspace,
                                                      .version = std::string(cli::kTofuVersion),
                                                      .plan = digest});
  if (journal) {
    // Planning has moved, imported and refreshed objects; what is recorded next builds on that.
    const auto changed = state::changed_objects(run.state.value_or(state::State()), prior);
    if (!changed.empty()) (void)journal->writer->append(changed);
    return std::move(*journal);
  }
  diags.error("Cannot create the journal")
      .detail(fmt::format("Creating the journal failed: {}. No changes were made, because changes "
                          "without a journal could be lost.",
                          journal.error().what));
  return std::nullopt;
}

}  // namespace

PlanDigest::PlanDigest(const plans::Plan& plan, base::Runtime& runtime)
    : thread_(runtime.start_or_run(
          syntax::kTaskStack, [this, &plan] { task_.run([&] { text_ = digest_of(plan); }); })) {}

const std::string& PlanDigest::text() {
  thread_.join();
  task_.check();
  return text_;
}

diag::Checked<RunState> open_run_state(backends::Backend& backend, const std::string& workspace,
                                       std::string operation, const workdir::LockOptions& lock,
                                       const cli::Settings& settings, cli::Terminal& terminal,
                                       cli::Cancellation& cancellation, diag::Diagnostics& diags) {
  RunState run;
  run.workspace = workspace;
  run.store = backend.open(workspace, diags);
  if (!run.store ||
      !workdir::lock_store(*run.store, std::move(operation), lock, settings, cancellation, diags)) {
    return std::nullopt;
  }
  run.is_locked = lock.lock;
  backends::remove_abandoned_rescues(run.store->disk());
  auto stored = workdir::read_for_change(*run.store, run.is_locked, terminal, diags);
  if (!stored) return std::nullopt;
  run.state = std::move(stored->state);
  run.stored = std::move(stored->stored);
  return run;
}

namespace {

// What a run begins with. A new state gets its lineage now, so that its journal can name it.
state::State with_lineage(state::State prior) {
  if (!prior.lineage.empty()) return prior;
  if (auto lineage = base::random_uuid()) prior.lineage = std::move(*lineage);
  return prior;
}

enum class Saved : std::uint8_t { InStore, InFile, Nowhere };

Saved save_or_rescue(Saving& saving, state::State& state, RunState& run,
                     const backends::RescueJournal& journal, cli::Terminal& terminal,
                     diag::Diagnostics& diags) {
  if (saving.save(state, diags)) return Saved::InStore;
  const auto text =
      backends::rescue_state(run.store->disk(), state, run.store->encryption(), journal, diags);
  if (!text) return Saved::InFile;
  terminal.err.line(*text);
  return Saved::Nowhere;
}

}  // namespace

state::State store_refreshed(const engine::Planned& planned, RunState& run, cli::Terminal& terminal,
                             diag::Diagnostics& diags) {
  state::State state = with_lineage(planned.prior);
  Saving saving(*run.store, nullptr, run.stored, base::system_runtime());
  (void)save_or_rescue(saving, state, run, {}, terminal, diags);
  return state;
}

Applied apply_and_store(const engine::RunInputs& inputs, engine::Planned& planned,
                        PlanDigest& digest, RunState& run, cli::Terminal& terminal,
                        diag::Diagnostics& diags) {
  const state::State prior = with_lineage(planned.prior);
  const std::size_t errors = diags.error_count();
  // Waited for in any case, because applying changes the plan.
  auto journal = open_journal(prior, planned.plan, digest.text(), run, diags);
  if (diags.error_count() != errors) return {prior, std::nullopt};

  state::JournalWriter* const records = journal ? journal->writer.get() : nullptr;
  Saving saving(*run.store, records, run.stored, inputs.runtime);
  state::State state;
  {
    // It stores states from a thread of its own, which ends before the last is stored.
    const auto save = [&](const state::State& snapshot) {
      state::State copy = snapshot;
      diag::Diagnostics ignored;  // the last time counts
      saving.save(copy, ignored);
    };
    engine::StateWriter writer(prior, records, save, inputs.runtime);
    state = engine::apply_consuming(inputs, planned, writer, diags);
  }
  // It has only what could be written.
  backends::RescueJournal stays;
  if (journal) stays = {journal->path, !records->has_failed(), run.is_locked};
  const Saved saved = save_or_rescue(saving, state, run, stays, terminal, diags);
  // Without the lock, errored.tfstate alone keeps a refused state: the next command must not add
  // to the state what the holder of the lock has refused.
  const bool ends = saved == Saved::InStore || (saved == Saved::InFile && !run.is_locked);
  if (!ends) journal.reset();
  return {std::move(state), std::move(journal)};
}

}  // namespace tofu::runs
