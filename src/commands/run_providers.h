// The providers of a command: that which is part of this program, and plugins.
//
// A plugin is one that `init` has installed, that the CLI configuration puts in its place
// (dev_overrides), or that somebody else has started (TF_REATTACH_PROVIDERS). Schemas are
// loaded before anything is compiled or shown; processes start when they are needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "addrs/provider.h"
#include "commands/command.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "install/selected_providers.h"
#include "providers/plugin_source.h"
#include "providers/provider.h"
#include "schema/provider.h"
#include "state/state.h"

namespace tofu::commands {

// Threads: any for opening and finding; loading is done by one.
class RunProviders final : public providers::ProviderSource, public schema::ProviderSchemas {
 public:
  explicit RunProviders(World& world);

  // Learns the schemas of these, side by side, with an error for each that is not there.
  // False if and only if an error was added.
  bool load(const std::set<addrs::Provider>& needed, diag::Diagnostics& diags);
  // The same for all that have objects in a state.
  bool load(const state::State& state, diag::Diagnostics& diags);
  // Starts the processes of all that were loaded, because they are going to be needed.
  void start();

  const schema::ProviderSchema* find(const std::string& provider) const override;
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics& diags) override;

 private:
  bool prepare(diag::Diagnostics& diags);
  std::optional<providers::PluginPackage> package_of(const addrs::Provider& provider,
                                                     diag::Diagnostics& diags);

  World& world_;
  bool is_prepared_ = false;
  std::map<addrs::Provider, providers::Reattach> reattached_;
  std::optional<install::SelectedProviders> selected_;
  std::set<addrs::Provider> loaded_;
  mutable std::mutex loading_;  // a state may name providers that nobody has loaded
  providers::PluginSource plugins_;
};

// Those of this command, made when they are first asked for.
RunProviders& run_providers(World& world);

// The schemas of everything that `tree`, with its tests, needs. False if and only if an
// error was added.
bool load_providers(const config::Tree& tree, World& world, diag::Diagnostics& diags);
// The same for what is in a state.
bool load_providers(const state::State& state, World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
