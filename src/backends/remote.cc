#include "backends/remote.h"

#include <algorithm>
#include <fmt/format.h>
#include <random>
#include <span>
#include <utility>

#include "backends/import_rule.h"
#include "backends/journal_place.h"
#include "backends/workspace_name.h"
#include "base/shell_text.h"
#include "base/stop_wait.h"
#include "base/uuid.h"
#include "state/state_file.h"
#include "state/state_pieces.h"

namespace tofu::backends {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kFirstPause(250);
constexpr milliseconds kMaxPause(8000);

// Those who wait for one lock should not all come back at the same moment.
milliseconds about(milliseconds pause) {
  thread_local std::minstd_rand random(std::random_device{}());
  std::uniform_int_distribution<milliseconds::rep> between(pause.count() / 2, pause.count());
  return milliseconds(between(random));
}

bool is_same(const std::optional<state::State>& a, const std::optional<state::State>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->lineage == b->lineage && a->serial == b->serial && state::same_content(*a, *b);
}

std::string owner_of(const RemoteStorage& storage) {
  const std::string address = storage.service_address();
  return address.empty() ? storage.identity()
                         : fmt::format("{} at {}", storage.identity(), address);
}

// The files of journals are named by owner_of(): one whose distinction is another is found, named
// and left alone.
std::string journal_owner_of(const RemoteStorage& storage, const std::string& workspace) {
  const std::string distinction = storage.distinction(workspace);
  return distinction.empty() ? owner_of(storage)
                             : fmt::format("{} ({})", owner_of(storage), distinction);
}

// Other processes have nothing to do with states that end with this one.
std::span<const std::string> directories_for(const BackendContext& context,
                                             const RemoteStorage& storage) {
  const std::span<const std::string> all = context.journal_directories;
  return storage.is_of_this_process() && !all.empty() ? all.last(1) : all;
}

std::vector<std::string> places_of(const BackendContext& context, const RemoteStorage& storage,
                                   const std::string& workspace) {
  const std::string name = journal_name(owner_of(storage), workspace);
  std::vector<std::string> places;
  for (const std::string& directory : directories_for(context, storage)) {
    places.push_back(directory + "/" + name);
  }
  return places;
}

struct JournalPlaces {
  std::string owner;
  std::vector<std::string> places;
  base::Disk& disk;
};

class RemoteStore final : public Store {
 public:
  // A store outlives the backend that opened it, and keeps the storage alive.
  RemoteStore(std::shared_ptr<RemoteStorage> storage, const std::string& workspace,
              const BackendContext& context)
      : storage_(std::move(storage)),
        client_(storage_->client(workspace)),
        workspace_(workspace),
        version_(context.version),
        encryption_(context.encryption),
        journals_{journal_owner_of(*storage_, workspace), places_of(context, *storage_, workspace),
                  context.disk},
        deferred_diagnostics_(context.deferred_diagnostics),
        reading_(context.reading) {}

  ~RemoteStore() override {
    diag::Diagnostics nowhere;
    unlock(deferred_diagnostics_ != nullptr ? *deferred_diagnostics_ : nowhere);
  }

  diag::Checked<Stored> read(diag::Diagnostics& diags) override;
  diag::Checked<PublishedOutputs> read_outputs(diag::Diagnostics& diags) override;
  using Store::write;
  diag::Checked<void> write(state::State& state, const Before& before,
                            diag::Diagnostics& diags) override;
  diag::Checked<void> push(const state::State& state, bool force,
                           diag::Diagnostics& diags) override;
  diag::Checked<void> clear(diag::Diagnostics& diags) override;

  diag::Checked<void> lock(LockInfo info, const LockWait& wait, diag::Diagnostics& diags) override;
  diag::Checked<void> unlock(diag::Diagnostics& diags) override;
  diag::Checked<void> force_unlock(const std::string& id, diag::Diagnostics& diags) override;

  bool exports_empty() const override { return true; }
  std::vector<std::string> journal_places() const override { return journals_.places; }
  std::string journal_owner() const override { return journals_.owner; }
  bool owns_journal(const std::string& owner, const std::string& workspace) const override {
    return owner == journals_.owner && workspace == workspace_;
  }
  base::Disk& disk() const override { return journals_.disk; }
  const state::Encryption& encryption() const override { return encryption_; }

 private:
  std::string place() const {
    return workspace_ == kDefaultWorkspace
               ? storage_->identity()
               : fmt::format("{}, workspace {:?}", storage_->identity(), workspace_);
  }
  std::optional<Stored> fetch(diag::Diagnostics& diags);
  std::optional<Stored> read_and_cache(diag::Diagnostics& diags);
  bool put(state::State& state, bool forced, diag::Diagnostics& diags);
  bool check_lock(diag::Diagnostics& diags);
  bool report_held(const LockAnswer& answer, diag::Diagnostics& diags) const;

  std::shared_ptr<RemoteStorage> storage_;
  std::unique_ptr<RemoteClient> client_;
  std::string workspace_;
  std::string version_;
  const state::Encryption& encryption_;
  const JournalPlaces journals_;
  diag::Diagnostics* deferred_diagnostics_;
  std::shared_ptr<ReadCancellation> reading_;
  std::optional<LockInfo> held_;       // by us
  bool is_lost_ = false;               // it was, and another process has it
  std::optional<state::State> known_;  // as last read or stored
  std::optional<state::State> tried_;  // to store, without knowing whether it was
  bool has_read_ = false;
  bool is_outdated_ = false;  // what was read is encrypted in a way that is given up
};

std::optional<Stored> RemoteStore::fetch(diag::Diagnostics& diags) {
  const auto failed = [&](const std::string& what) -> std::optional<Stored> {
    diags.error("Cannot read the state")
        .detail(fmt::format("Reading the state in {} failed: {}.", place(), what));
    return std::nullopt;
  };
  auto bytes = client_->get();
  if (!bytes) return failed(bytes.error().what);
  if (!*bytes || (*bytes)->empty()) return Stored{};
  std::string text = std::move(**bytes);
  if (!encryption_.is_plain()) {
    auto decrypted = encryption_.decrypt(text);
    if (!decrypted) return failed(decrypted.error().what);
    is_outdated_ = encryption_.is_outdated(text);
    text = std::move(*decrypted);
  }
  auto state = state::read_large_state(std::move(text), diags);
  if (!state) return std::nullopt;
  return Stored{std::move(state)};
}

std::optional<Stored> RemoteStore::read_and_cache(diag::Diagnostics& diags) {
  auto found = fetch(diags);
  if (!found) return std::nullopt;
  known_ = found->state;
  has_read_ = true;
  return found;
}

diag::Checked<Stored> RemoteStore::read(diag::Diagnostics& diags) {
  const ReadCancellation::Scope reading(reading_.get());
  return read_and_cache(diags);
}

diag::Checked<PublishedOutputs> RemoteStore::read_outputs(diag::Diagnostics& diags) {
  const ReadCancellation::Scope reading(reading_.get());
  auto told = client_->outputs();
  if (told) return std::move(*told);
  diags.error("Cannot read the outputs")
      .detail(fmt::format("Reading the outputs of the state in {} failed: {}.", place(),
                          told.error().what));
  return std::nullopt;
}

diag::Checked<void> RemoteStore::write(state::State& state, const Before& before,
                                       diag::Diagnostics& diags) {
  if (!has_read_ && !read_and_cache(diags)) return false;
  if (known_ && !known_->lineage.empty()) {
    state.lineage = known_->lineage;
  } else if (state.lineage.empty()) {
    auto lineage = base::random_uuid();
    if (!lineage) {
      diags.error("Cannot make a lineage").detail(lineage.error().what + ".");
      return false;
    }
    state.lineage = std::move(*lineage);
  }
  state.serial = known_ ? known_->serial : 0;
  if (known_ && !is_outdated_ && state::same_content(state, *known_) &&
      state.lineage == known_->lineage) {
    state.terraform_version = known_->terraform_version;
    return true;  // others need not see a new version of what they have
  }
  if (!raise_serial(state, diags)) return false;
  if (before) before();
  return put(state, false, diags);
}

diag::Checked<void> RemoteStore::push(const state::State& state, bool force,
                                      diag::Diagnostics& diags) {
  if (!has_read_ && !read_and_cache(diags)) return false;
  if (!force) {
    if (const auto reason = refused_import(state, known_ ? &*known_ : nullptr)) {
      diags.error("State cannot be replaced")
          .detail(fmt::format(
              "The new state must not replace the one in {}: {}. To replace it anyway, use -force.",
              place(), *reason));
      return false;
    }
  }
  if (known_ && !is_outdated_ && state.lineage == known_->lineage &&
      state.serial == known_->serial && state::same_content(state, *known_)) {
    return true;
  }
  state::State copy = state;
  return put(copy, force, diags);
}

bool RemoteStore::put(state::State& state, bool forced, diag::Diagnostics& diags) {
  const auto failed = [&](const std::string& what) {
    diags.error("Cannot store the state")
        .detail(fmt::format("Storing the state in {} failed: {}.", place(), what));
    return false;
  };
  if (!check_lock(diags)) return false;
  state.terraform_version = version_;
  base::TextPieces bytes = state::state_pieces(state);
  if (!encryption_.is_plain()) {
    auto encrypted = encryption_.encrypt(bytes.joined());
    if (!encrypted) return failed(encrypted.error().what);
    bytes = base::TextPieces(std::move(*encrypted));
  }
  auto stored = client_->put_version(bytes, state, forced);
  if (!stored) tried_ = state;
  // A connection that broke has taken the lock with it. Both are made again, once.
  if (!stored && held_ && client_->holds(held_->id) == LockHold::Lost) {
    if (!check_lock(diags)) return false;
    stored = client_->put_version(bytes, state, forced);
  }
  if (!stored) return failed(stored.error().what);
  known_ = state;
  is_outdated_ = false;
  tried_.reset();
  has_read_ = true;
  return true;
}

diag::Checked<void> RemoteStore::clear(diag::Diagnostics& diags) {
  const auto removed = client_->remove();
  if (!removed) {
    diags.error("Cannot remove the state")
        .detail(fmt::format("Removing the state in {} failed: {}.", place(), removed.error().what));
    return false;
  }
  known_.reset();
  has_read_ = true;
  return true;
}

// The lock may have been removed, or the connection that held it is gone. As long as the state is
// the one that this run knows, taking the lock again is all there is to do. Otherwise another run
// has written, and must not be overwritten.
bool RemoteStore::check_lock(diag::Diagnostics& diags) {
  if (!held_) return true;
  if (!is_lost_ && client_->holds(held_->id) != LockHold::Lost) return true;
  const LockAnswer again = client_->lock(*held_);
  const bool is_ours = again.verdict == LockAnswer::Verdict::Locked ||
                       (again.holder && again.holder->id == held_->id);
  if (!is_ours) {
    is_lost_ = again.verdict == LockAnswer::Verdict::Held;
    diags.error("The lock on the state was lost")
        .detail(fmt::format(
            "The lock {} on the state in {} was taken away while this run went on, and it cannot "
            "be taken again: {}.{} The state was not stored, so that another run is not "
            "overwritten.",
            held_->id, place(), again.why,
            again.holder ? fmt::format("\n\nThe lock now:\n{}\n\n", describe(*again.holder)) : ""));
    return false;
  }
  const auto found = fetch(diags);
  if (!found) return false;
  is_lost_ = !is_same(found->state, known_) && !(tried_ && is_same(found->state, tried_));
  if (!is_lost_) return true;
  (void)client_->unlock(held_->id).ok();  // a process that has stored a state may need it
  diags.error("The lock on the state was lost")
      .detail(
          fmt::format("The lock {} on the state in {} was taken away while this run went on, and "
                      "another run has stored a state since. It was not overwritten.",
                      held_->id, place()));
  return false;
}

bool RemoteStore::report_held(const LockAnswer& answer, diag::Diagnostics& diags) const {
  std::string detail = fmt::format("The state in {} is locked: {}.", place(), answer.why);
  if (answer.holder) {
    detail += fmt::format(
        "\n\nThe lock:\n{}\n\nIf it was left by a run that has ended, \"tofu force-unlock {}\" "
        "removes it.",
        describe(*answer.holder), base::shell_word(answer.holder->id));
  }
  diags.error("Error acquiring the state lock")
      .detail(detail + " To wait for it, use -lock-timeout.");
  return false;
}

diag::Checked<void> RemoteStore::lock(LockInfo info, const LockWait& wait,
                                      diag::Diagnostics& diags) {
  if (!client_->has_locks()) return true;
  const auto deadline = steady_clock::now() + wait.timeout;
  const auto failed = [&](const std::string& what) {
    diags.error("Error acquiring the state lock")
        .detail(fmt::format("Locking the state in {} failed: {}.", place(), what));
    return false;
  };
  const auto ask = [&] {
    const ReadCancellation::Scope reading(reading_.get());  // an interrupt ends the request
    return client_->lock(info);
  };
  for (milliseconds pause = kFirstPause;; pause = std::min(pause * 2, kMaxPause)) {
    const LockAnswer answer = ask();
    // A request may arrive twice, or its answer not at all: then it is our own lock.
    const bool is_ours = answer.holder && answer.holder->id == info.id;
    if (answer.verdict == LockAnswer::Verdict::Locked || is_ours) {
      held_ = std::move(info);
      return true;
    }
    if (answer.verdict == LockAnswer::Verdict::Failed) {
      if (!wait.stop.stop_requested()) return failed(answer.why);
      return failed(
          fmt::format("interrupted while waiting for the response. If the state stays locked, "
                      "\"tofu force-unlock {}\" removes the lock",
                      info.id));
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    if (left.count() <= 0) return report_held(answer, diags);
    if (!base::sleep_for(std::min(about(pause), left), wait.stop)) {
      return failed("interrupted while another run had locked it");
    }
  }
}

diag::Checked<void> RemoteStore::unlock(diag::Diagnostics& diags) {
  if (!held_) return true;
  const std::string id = std::exchange(held_, std::nullopt)->id;
  if (std::exchange(is_lost_, false)) return true;
  const auto unlocked = client_->unlock(id);
  if (unlocked) return true;
  diags.error("Cannot unlock the state")
      .detail(fmt::format(
          "Removing the lock on the state in {} failed: {}. The changes of this run are not "
          "affected. If the lock stays, remove it with:\n  tofu force-unlock {}",
          place(), unlocked.error().what, id));
  return false;
}

diag::Checked<void> RemoteStore::force_unlock(const std::string& id, diag::Diagnostics& diags) {
  if (!client_->can_force_unlock()) {
    diags.error("Locking disabled")
        .detail(client_->has_locks()
                    ? fmt::format("The lock {} was not removed: the backend of the state in {} is "
                                  "configured to take locks, but not how to remove them.",
                                  id, place())
                    : fmt::format("Locks are not configured for the state in {}.", place()));
    return false;
  }
  const auto unlocked = client_->unlock(id);
  if (unlocked) return true;
  diags.error("Cannot unlock the state")
      .detail(fmt::format("Removing the lock {} on the state in {} failed: {}.", id, place(),
                          unlocked.error().what));
  return false;
}

class RemoteBackend final : public Backend {
 public:
  RemoteBackend(std::unique_ptr<RemoteStorage> storage, const BackendContext& context)
      : storage_(std::move(storage)), context_(context) {}

  std::string identity() const override { return storage_->identity(); }
  bool has_workspaces() const override { return storage_->has_workspaces(); }
  bool has_default() const override { return storage_->has_default(); }

  std::vector<std::string> journals() override {
    std::vector<std::string> found;
    for (const std::string& directory : directories_for(context_, *storage_)) {
      const auto here = journals_of(context_.disk, directory, owner_of(*storage_));
      found.insert(found.end(), here.begin(), here.end());
    }
    return found;
  }

  diag::Checked<std::vector<std::string>> workspaces(diag::Diagnostics& diags) override {
    if (!check_workspaces(diags)) return std::nullopt;
    const ReadCancellation::Scope reading(context_.reading.get());
    auto names = storage_->list();
    if (!names) {
      diags.error("Cannot list the workspaces")
          .detail(fmt::format("Listing the workspaces in {} failed: {}.", identity(),
                              names.error().what));
      return std::nullopt;
    }
    std::erase(*names, kDefaultWorkspace);
    std::ranges::sort(*names);
    if (has_default()) names->insert(names->begin(), std::string(kDefaultWorkspace));
    return std::move(*names);
  }

  diag::Checked<void> delete_workspace(const std::string& name, diag::Diagnostics& diags) override {
    if (name.empty() || (name == kDefaultWorkspace && has_default())) {
      diags.error("Workspace cannot be deleted")
          .detail("The default workspace is always there and cannot be deleted.");
      return false;
    }
    if (!check_workspaces(diags) || !check_workspace_name(name, diags)) return false;
    const auto removed = storage_->remove(name);
    if (removed) return true;
    diags.error("Workspace cannot be deleted")
        .detail(fmt::format("Removing the workspace {:?} in {} failed: {}.", name, identity(),
                            removed.error().what));
    return false;
  }

  std::unique_ptr<Store> open_existing(const std::string& workspace,
                                       diag::Diagnostics& diags) override {
    if (workspace == kDefaultWorkspace) {
      if (!check_default(diags)) return nullptr;
    } else if (!check_workspaces(diags) || !check_workspace_name(workspace, diags)) {
      return nullptr;
    }
    return std::make_unique<RemoteStore>(storage_, workspace, context_);
  }

  std::unique_ptr<Store> open(const std::string& workspace, diag::Diagnostics& diags) override {
    auto store = open_existing(workspace, diags);
    if (!store) return nullptr;
    if (const auto made = storage_->make_workspace(workspace)) {
      if (made->ok()) return store;
      diags.error("Cannot use the workspace")
          .detail(fmt::format("Finding or making the workspace {:?} in {} failed: {}.", workspace,
                              identity(), made->error().what));
      return nullptr;
    }
    if (workspace == kDefaultWorkspace) return store;
    const auto names = workspaces(diags);
    if (!names) return nullptr;
    if (std::ranges::find(*names, workspace) != names->end()) return store;
    return make_workspace(*store, diags) ? std::move(store) : nullptr;
  }

 private:
  bool check_default(diag::Diagnostics& diags) const {
    if (has_default()) return true;
    diags.error("No default workspace")
        .detail(fmt::format("Every workspace in {} has a name of its own. Select one with \"tofu "
                            "workspace select\", or make one with \"tofu workspace new\".",
                            identity()));
    return false;
  }

  bool check_workspaces(diag::Diagnostics& diags) const {
    if (has_workspaces()) return true;
    diags.error("Workspaces are not supported")
        .detail(fmt::format("The state in {} is the only one: this backend has no workspaces but "
                            "the default one.",
                            identity()));
    return false;
  }

  // An empty state, so that the workspace is in the list.
  bool make_workspace(Store& store, diag::Diagnostics& diags) const {
    if (!store.lock(context_.new_lock("init"), {}, diags)) return false;
    const auto stored = store.read(diags);
    state::State empty;
    const bool made = stored && (stored->state || store.write(empty, diags));
    return store.unlock(diags) && made;
  }

  std::shared_ptr<RemoteStorage> storage_;  // shared with stores, which may outlive this
  BackendContext context_;
};

}  // namespace

std::unique_ptr<Backend> make_remote_backend(std::unique_ptr<RemoteStorage> storage,
                                             const BackendContext& context) {
  return std::make_unique<RemoteBackend>(std::move(storage), context);
}

std::function<std::stop_token()> request_stop(const BackendContext& context) {
  return [reading = context.reading] { return reading ? reading->token() : std::stop_token(); };
}

net::WebOptions backend_web_options(const BackendContext& context) {
  net::WebOptions options = context.web;
  // A large state may take long as long as bytes move.
  options.answer_timeout = std::chrono::minutes(10);
  options.request_stop = request_stop(context);
  return options;
}

}  // namespace tofu::backends
