// How commands reach the state of the working directory: its backend, the chosen
// workspace, the lock, and what a journal left behind.
//
// All answer false or nothing if and only if an error was added.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "addrs/parse.h"
#include "backends/backend.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/option_groups.h"
#include "diag/diagnostic.h"
#include "state/state.h"

namespace tofu::commands {

// The configuration of this directory without the modules it calls.
std::unique_ptr<Configuration> load_root_module(const ConfigurationOptions& configuration,
                                                World& world, diag::Diagnostics& diags);

// The root module has to be readable, since it may configure a backend.
std::unique_ptr<backends::Backend> open_backend(const StateFileOptions& files,
                                                const ConfigurationOptions& configuration,
                                                World& world, diag::Diagnostics& diags);
// The same for a configuration that was loaded already.
std::unique_ptr<backends::Backend> open_backend(const StateFileOptions& files,
                                                const Configuration& configuration, World& world,
                                                diag::Diagnostics& diags);
// The store of the chosen workspace.
std::unique_ptr<backends::Store> open_store(const StateFileOptions& files,
                                            const ConfigurationOptions& configuration, World& world,
                                            diag::Diagnostics& diags);

// Locks `store` for `operation`, unless -lock=false. It is unlocked when it goes away.
bool lock_store(backends::Store& store, std::string operation, const LockOptions& lock,
                World& world, diag::Diagnostics& diags);

// A state that has to be there, for changing: store, lock and content.
struct OpenState {
  std::unique_ptr<backends::Store> store;
  state::State state;
};
std::optional<OpenState> open_for_change(const StateFileOptions& files, std::string operation,
                                         const StateChangeOptions& options, World& world,
                                         diag::Diagnostics& diags);

// The same for `state mv`, `rm` and `replace-provider`: they always keep a backup,
// whose name has the time in it unless -backup says another.
std::optional<OpenState> open_for_surgery(StateFileOptions files, std::string operation,
                                          const StateChangeOptions& options, World& world,
                                          diag::Diagnostics& diags);

// The instances that an argument of `state list` or `state rm` stands for, in order.
// What is not there is an error unless `missing_is_fine`.
std::optional<std::vector<addrs::AbsResourceInstance>> matching_instances(
    const state::State& state, const std::string& argument, bool missing_is_fine,
    diag::SourceMap& sources, diag::Diagnostics& diags);
// Every instance, in the order of people.
void for_each_instance(const state::State& state,
                       const std::function<void(const addrs::AbsResourceInstance&)>& visit);
std::vector<addrs::AbsResourceInstance> all_instances(const state::State& state);

// There is no state, where one is needed.
void report_no_state(diag::Diagnostics& diags);

}  // namespace tofu::commands
