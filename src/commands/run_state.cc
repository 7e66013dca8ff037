#include "commands/run_state.h"

#include <filesystem>
#include <fmt/format.h>
#include <utility>

#include "backends/rescue.h"
#include "base/file.h"
#include "base/uuid.h"
#include "commands/journal_recovery.h"
#include "commands/version_info.h"
#include "engine/state_writer.h"
#include "state/journal_writer.h"
#include "syntax/ast.h"
#include "transport/tree_hash.h"

namespace tofu::commands {

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
  return transport::sha256_hex(text);
}

// Stores states of one run, one after the other. What is about to be stored is in the
// journal first, so that whoever finds it knows it for a state of this run.
class Saving {
 public:
  Saving(backends::Store& store, state::JournalWriter* journal,
         const std::optional<state::State>& known)
      : store_(store), journal_(journal), known_(known) {}

  bool save(state::State& state, diag::Diagnostics& diags) {
    if (!write(state, diags)) return false;
    known_ = state;
    return true;
  }

 private:
  bool write(state::State& state, diag::Diagnostics& diags) {
    if (journal_ == nullptr) return store_.write(state, diags);
    std::uint64_t serial = known_ ? known_->serial : 0;
    if (!known_ || !state::same_content(state, *known_)) ++serial;
    // Beside writing the state, which takes as long, but before anybody sees it.
    base::Task announcing;
    base::Thread thread = base::Thread::start_or_run(syntax::kTaskStack, [&, content = state] {
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
  std::optional<state::State> known_;  // as last stored
};

// Null if there is to be none, or after an error.
std::unique_ptr<state::JournalWriter> open_journal(const state::State& prior,
                                                   const plans::Plan& plan,
                                                   const std::string& digest, const RunState& run,
                                                   diag::Diagnostics& diags) {
  if (!plan.applyable) return nullptr;
  const std::string path = run.store->journal_path();
  if (!run.is_locked) {
    // One that is there may belong to a run that goes on.
    const auto kind = base::file_kind(path);
    if (!kind || *kind != base::FileKind::Missing) return nullptr;
  }
  std::error_code failed;  // seen when the journal is made
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  auto journal = state::JournalWriter::create(path,
                                              {.lineage = prior.lineage,
                                               .serial = run.state ? run.state->serial : 0,
                                               .is_new = !run.state,
                                               .workspace = run.workspace,
                                               .backend = run.backend,
                                               .version = std::string(kTofuVersion),
                                               .plan = digest},
                                              run.store->encryption());
  if (journal) return std::move(*journal);
  diags.error("Cannot keep a journal")
      .detail(fmt::format("Writing {} failed: {}. Nothing was changed, because what happens could "
                          "be lost without it.",
                          path, journal.error().what));
  return nullptr;
}

void close_journal(state::JournalWriter& journal, std::uint64_t serial, const std::string& path,
                   diag::Diagnostics& diags) {
  const auto ended = journal.end(serial);
  if (ended) return;
  diags.warning("Cannot end the journal")
      .detail(fmt::format("The state was stored, but removing {} failed: {}. The next run does it.",
                          path, ended.error().what));
}

}  // namespace

PlanDigest::PlanDigest(const plans::Plan& plan)
    : thread_(base::Thread::start_or_run(
          syntax::kTaskStack, [this, &plan] { task_.run([&] { text_ = digest_of(plan); }); })) {}

const std::string& PlanDigest::text() {
  thread_.join();
  task_.check();
  return text_;
}

std::optional<RunState> open_run_state(backends::Backend& backend, const std::string& workspace,
                                       std::string operation, const LockOptions& lock, World& world,
                                       diag::Diagnostics& diags) {
  RunState run;
  run.workspace = workspace;
  run.backend = backend.identity();
  run.store = backend.open(workspace, diags);
  if (!run.store || !lock_store(*run.store, std::move(operation), lock, world, diags)) {
    return std::nullopt;
  }
  run.is_locked = lock.lock;
  auto stored = read_for_change(*run.store, run.is_locked, diags);
  if (!stored) return std::nullopt;
  run.state = std::move(stored->state);
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

// `journal_path` is where the journal stays that has the same; empty if there is none.
Saved save_or_rescue(Saving& saving, state::State& state, RunState& run,
                     const std::string& journal_path, World& world, diag::Diagnostics& diags) {
  if (saving.save(state, diags)) return Saved::InStore;
  const auto text = backends::rescue_state(state, run.store->encryption(), journal_path, diags);
  if (!text) return Saved::InFile;
  world.err.line(*text);
  return Saved::Nowhere;
}

}  // namespace

state::State store_refreshed(const engine::Planned& planned, RunState& run, World& world,
                             diag::Diagnostics& diags) {
  state::State state = with_lineage(planned.prior);
  Saving saving(*run.store, nullptr, run.state);
  (void)save_or_rescue(saving, state, run, {}, world, diags);
  return state;
}

state::State apply_and_store(const engine::RunInputs& inputs, engine::Planned& planned,
                             PlanDigest& digest, RunState& run, World& world,
                             diag::Diagnostics& diags) {
  const state::State prior = with_lineage(planned.prior);
  const std::size_t errors = diags.error_count();
  // Waited for in any case, because applying changes the plan.
  const auto journal = open_journal(prior, planned.plan, digest.text(), run, diags);
  if (diags.error_count() != errors) return prior;

  Saving saving(*run.store, journal.get(), run.state);
  state::State state;
  {
    // It stores states from a thread of its own, which ends before the last is stored.
    engine::StateWriter writer(prior, journal.get(), [&](const state::State& snapshot) {
      state::State copy = snapshot;
      diag::Diagnostics ignored;  // the last time counts
      saving.save(copy, ignored);
    });
    state = engine::apply_and_spend(inputs, planned, writer, diags);
  }
  const std::string journal_path =
      journal && run.is_locked ? run.store->journal_path() : std::string();
  const Saved saved = save_or_rescue(saving, state, run, journal_path, world, diags);
  if (saved != Saved::InStore) {
    // What the holder of the lock has refused is in errored.tfstate. It would be wrong to
    // make it part of the state later without being asked.
    if (journal && !run.is_locked && saved == Saved::InFile) (void)journal->remove();
    return state;
  }
  if (journal) close_journal(*journal, state.serial, run.store->journal_path(), diags);
  return state;
}

}  // namespace tofu::commands
