// Where states live: the door to every kind of storage.
//
// A backend has workspaces, each with one state. What enters and leaves is a
// state::State; how it is laid out, encrypted and kept safe from half a write is the
// backend's own affair. Nothing here decides what to do about a state.
//
// All answer false or nothing if and only if an error was added.
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

// What a read found: perhaps nothing was ever stored.
struct Stored {
  std::optional<state::State> state;
};

struct ToldOutputs {
  std::optional<std::map<std::string, state::Output>> outputs = {};
};

// The state of one workspace. Belongs to one thread.
class Store {
 public:
  virtual ~Store() = default;

  virtual std::optional<Stored> read(diag::Diagnostics& diags) = 0;
  // The outputs of the state, for a store that tells them also to those who may not read
  // the state, which is known afterwards only if it was read. Nothing inside: it does not.
  virtual std::optional<ToldOutputs> read_outputs(diag::Diagnostics& diags) {
    (void)diags;
    return ToldOutputs{};
  }

  // Stores it, under the lineage of what was read or a new one, and with a higher
  // serial if the content changed. `state` gets what was written as its lineage,
  // serial and version.
  bool write(state::State& state, diag::Diagnostics& diags) { return write(state, {}, diags); }
  // The same for whoever has something to do before anybody sees the new state: it is called
  // once as much as possible was done, if nothing went wrong by then.
  using Before = std::function<void()>;
  virtual bool write(state::State& state, const Before& before, diag::Diagnostics& diags) = 0;
  // Stores it as it is, lineage and serial included. Unless forced, another lineage or
  // an older serial is refused.
  virtual bool push(const state::State& state, bool force, diag::Diagnostics& diags) = 0;
  // Stores nothing, as if there never had been a state.
  virtual bool clear(diag::Diagnostics& diags) = 0;

  // A store that is locked here is unlocked when it goes away.
  virtual bool lock(LockInfo info, const LockWait& wait, diag::Diagnostics& diags) = 0;
  virtual bool unlock(diag::Diagnostics& diags) = 0;
  // Takes the lock `id` from whoever has it.
  virtual bool force_unlock(const std::string& id, diag::Diagnostics& diags) = 0;

  // Where the journal of a run is kept, on this machine in any case.
  virtual std::string journal_path() const = 0;
  // What encrypts this state, its journal included.
  virtual const state::Encryption& encryption() const = 0;
};

class Backend {
 public:
  virtual ~Backend() = default;

  // Says which storage it is, in a form that can be compared.
  virtual std::string identity() const = 0;
  // The default one first, whether it has a state or not, unless there is none. An error
  // if there can be no others.
  virtual std::optional<std::vector<std::string>> workspaces(diag::Diagnostics& diags) = 0;
  // With everything in it; whether that is wanted was asked before.
  virtual bool delete_workspace(const std::string& name, diag::Diagnostics& diags) = 0;
  // The workspace is made if it is not there. A store may outlive its backend.
  virtual std::unique_ptr<Store> open(const std::string& workspace, diag::Diagnostics& diags) = 0;
  // The same for reading only: nothing is made.
  virtual std::unique_ptr<Store> open_existing(const std::string& workspace,
                                               diag::Diagnostics& diags) = 0;
  // Whether there can be other workspaces than the default one.
  virtual bool has_workspaces() const { return true; }
  // Whether there is a default one.
  virtual bool has_default() const { return true; }
};

}  // namespace tofu::backends
