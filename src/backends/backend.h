// The interface to state storage.
//
// A backend has workspaces, each with one state. Its functions take and return a state::State; how
// it is laid out, encrypted and kept safe from half a write is the backend's own affair. Nothing
// here decides what to do about a state.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "backends/lock_info.h"
#include "base/disk.h"
#include "diag/diagnostic.h"
#include "state/encryption.h"
#include "state/state.h"

namespace tofu::backends {

inline constexpr std::string_view kDefaultWorkspace = "default";

// How long to try, and what ends the trying early.
struct LockWait {
  std::chrono::milliseconds timeout{0};
  std::stop_token stop = {};
};

// The result of a read: perhaps nothing was ever stored.
struct Stored {
  std::optional<state::State> state;
};

struct PublishedOutputs {
  std::optional<std::map<std::string, state::Output>> outputs = {};
};

// The state of one workspace. Belongs to one thread.
class Store {
 public:
  virtual ~Store() = default;

  virtual diag::Checked<Stored> read(diag::Diagnostics& diags) = 0;
  // The outputs of the state, for a store that also serves them to users who may not read the
  // state. The state itself is known afterwards only if it was read. Nothing inside: it does not.
  virtual diag::Checked<PublishedOutputs> read_outputs(diag::Diagnostics& diags) {
    (void)diags;
    return PublishedOutputs{};
  }

  // Stores it, under the lineage of what was read or a new one, and with a higher
  // serial if the content changed. `state` gets what was written as its lineage,
  // serial and version.
  diag::Checked<void> write(state::State& state, diag::Diagnostics& diags) {
    return write(state, {}, diags);
  }
  // The same, with a hook that runs before another process can see the new state: it is called as
  // late as possible, unless an error occurred before.
  using Before = std::function<void()>;
  virtual diag::Checked<void> write(state::State& state, const Before& before,
                                    diag::Diagnostics& diags) = 0;
  // Stores it as it is, lineage and serial included. Unless forced, another lineage or
  // an older serial is refused.
  virtual diag::Checked<void> push(const state::State& state, bool force,
                                   diag::Diagnostics& diags) = 0;
  // Stores nothing, as if there never had been a state.
  virtual diag::Checked<void> clear(diag::Diagnostics& diags) = 0;

  // A store that is locked here is unlocked when it goes away.
  virtual diag::Checked<void> lock(LockInfo info, const LockWait& wait,
                                   diag::Diagnostics& diags) = 0;
  virtual diag::Checked<void> unlock(diag::Diagnostics& diags) = 0;
  // Releases the lock `id` of another process.
  virtual diag::Checked<void> force_unlock(const std::string& id, diag::Diagnostics& diags) = 0;

  // Whether a state that was never stored is exported as an empty one. OpenTofu does so for all
  // stores but files.
  virtual bool exports_empty() const { return false; }

  // The path of a run's journal, always on this machine: the first of these places that can be
  // written. See journal_place.h.
  virtual std::vector<std::string> journal_places() const = 0;
  // The disk of this machine that has its journals, and its files if it has any. Outlives it.
  virtual base::Disk& disk() const = 0;
  // The backend with its address, without secrets: journals say whose they are.
  virtual std::string journal_owner() const = 0;
  // Whether a journal of that owner and workspace is about this state. No other is used.
  virtual bool owns_journal(const std::string& owner, const std::string& workspace) const = 0;
  // The encryption of this state and its journal.
  virtual const state::Encryption& encryption() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Says which storage it is, in a form that can be compared.
  virtual std::string identity() const = 0;
  // The default one first, whether it has a state or not, unless there is none. An error
  // if there can be no others.
  virtual diag::Checked<std::vector<std::string>> workspaces(diag::Diagnostics& diags) = 0;
  // With everything in it; the caller has asked for confirmation.
  virtual diag::Checked<void> delete_workspace(const std::string& name,
                                               diag::Diagnostics& diags) = 0;
  // The workspace is made if it is not there. A store may outlive its backend.
  virtual std::unique_ptr<Store> open(const std::string& workspace, diag::Diagnostics& diags) = 0;
  // The same for reading only: nothing is made.
  virtual std::unique_ptr<Store> open_existing(const std::string& workspace,
                                               diag::Diagnostics& diags) = 0;
  // The journals that runs left on this machine, in any workspace.
  virtual std::vector<std::string> journals() = 0;
  // Whether there can be other workspaces than the default one.
  virtual bool has_workspaces() const { return true; }
  // Whether there is a default one.
  virtual bool has_default() const { return true; }
};

}  // namespace tofu::backends
