// How commands reach the state of the working directory: its backend, the chosen
// workspace, the lock, and what a journal left behind.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "addrs/parse.h"
#include "backends/backend.h"
#include "cli/cancellation.h"
#include "cli/settings.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "state/state.h"
#include "workdir/access.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::workdir {

// The root module has to be readable, since it may configure a backend.
diag::Checked<std::unique_ptr<backends::Backend>> open_backend(const StateFileOptions& files,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags);
// The same for a configuration that was loaded already.
diag::Checked<std::unique_ptr<backends::Backend>> open_backend(const StateFileOptions& files,
                                                               const Configuration& configuration,
                                                               StateAccess& access,
                                                               diag::Diagnostics& diags);
// The store of the chosen workspace.
diag::Checked<std::unique_ptr<backends::Store>> open_store(const StateFileOptions& files,
                                                           StateAccess& access,
                                                           diag::Diagnostics& diags);

// Locks `store` for `operation`, unless -lock=false. It is unlocked when it goes away.
diag::Checked<void> lock_store(backends::Store& store, std::string operation,
                               const LockOptions& lock, const cli::Settings& settings,
                               cli::Cancellation& cancellation, diag::Diagnostics& diags);

// A state that has to be there, for changing: store, lock and content.
struct OpenState {
  std::unique_ptr<backends::Store> store;
  state::State state;
};
diag::Checked<OpenState> open_for_change(const StateFileOptions& files, std::string operation,
                                         const LockOptions& lock, StateAccess& access,
                                         diag::Diagnostics& diags);

// The same for `state mv`, `rm` and `replace-provider`: they always keep a backup,
// whose name has the time in it unless -backup says another. A dry run completes no unfinished run.
enum class Edit : std::uint8_t { Write, DryRun };
diag::Checked<OpenState> open_for_edit(StateFileOptions files, std::string operation,
                                       const LockOptions& lock, Edit edit, StateAccess& access,
                                       diag::Diagnostics& diags);

// The instances that an argument of `state list` or `state rm` stands for, in order.
// What is not there is an error unless `missing_is_fine`.
diag::Checked<std::vector<addrs::AbsResourceInstance>> matching_instances(
    const state::State& state, const std::string& argument, bool missing_is_fine,
    diag::SourceMap& sources, diag::Diagnostics& diags);
// Every instance, in the order of people.
void for_each_instance(const state::State& state,
                       const std::function<void(const addrs::AbsResourceInstance&)>& visit);
std::vector<addrs::AbsResourceInstance> all_instances(const state::State& state);

// There is no state, where one is needed.
void report_no_state(diag::Diagnostics& diags);

}  // namespace tofu::workdir
