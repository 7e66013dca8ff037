// How commands reach the state of the working directory: its backend, the chosen
// workspace, the lock, and what a journal left behind.
//
// Only the local backend is there so far. All answer false or nothing if and only if
// an error was added.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "addrs/parse.h"
#include "backends/backend.h"
#include "backends/local.h"
#include "commands/command.h"
#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::commands {

// For the tables of the commands that change a state.
inline constexpr Flag kLockFlag = {"lock", FlagKind::Bool, "true", "lock=false",
                                   "Do not lock the state meanwhile. Dangerous if somebody else "
                                   "might work on it."};
inline constexpr Flag kLockTimeoutFlag = {
    "lock-timeout", FlagKind::Text, "0s", "lock-timeout=TIME",
    "How long to wait for a lock that somebody else has, such as 30s."};
inline constexpr Flag kIgnoreRemoteVersionFlag = {
    "ignore-remote-version", FlagKind::Bool, "false", "ignore-remote-version",
    "For remote backends only; a local state has no remote version."};
inline constexpr Flag kStateFlag = {"state",      FlagKind::Text,         "",
                                    "state=FILE", "Use this state file.", Completes::Files};
inline constexpr Flag kBackupFlag = {"backup",
                                     FlagKind::Text,
                                     "",
                                     "backup=FILE",
                                     "Keep a copy of the state before the change in this file.",
                                     Completes::Files};

// What -state and the like ask for; empty where nothing is asked.
struct StateFiles {
  std::string state = {};
  std::string state_out = {};
  std::string backup = {};  // "-": none
};

// `flags` are those of a command with -var, -var-file and -version-check. The root
// module has to be readable, since it may configure a backend.
std::unique_ptr<backends::Backend> open_backend(const StateFiles& files, const Flags& flags,
                                                World& world, diag::Diagnostics& diags);
// The store of the chosen workspace.
std::unique_ptr<backends::Store> open_store(const StateFiles& files, const Flags& flags,
                                            World& world, diag::Diagnostics& diags);

// Locks `store` for `operation`, unless -lock=false. It is unlocked when it goes away.
bool lock_store(backends::Store& store, std::string operation, const Flags& flags, World& world,
                diag::Diagnostics& diags);

// A state that has to be there, for changing: store, lock and content.
struct OpenState {
  std::unique_ptr<backends::Store> store;
  state::State state;
};
std::optional<OpenState> open_for_change(const StateFiles& files, std::string operation,
                                         const Flags& flags, World& world,
                                         diag::Diagnostics& diags);

// The same for `state mv`, `rm` and `replace-provider`: they always keep a backup,
// whose name has the time in it unless -backup says another.
std::optional<OpenState> open_for_surgery(const std::string& file, const std::string& backup,
                                          std::string operation, const Flags& flags, World& world,
                                          diag::Diagnostics& diags);

// "1h2m3.5s": what Go reads as a duration, without a sign.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// The instances that an argument of `state list` or `state rm` stands for, in order.
// What is not there is an error unless `missing_is_fine`.
std::optional<std::vector<addrs::AbsResourceInstance>> matching_instances(const state::State& state,
                                                                          std::string_view argument,
                                                                          bool missing_is_fine,
                                                                          diag::Diagnostics& diags);
// Every instance, in the order of people.
std::vector<addrs::AbsResourceInstance> all_instances(const state::State& state);

// There is no state, where one is needed.
void report_no_state(diag::Diagnostics& diags);

}  // namespace tofu::commands
