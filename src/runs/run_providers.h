// The providers of a command: that which is part of this program, and plugins.
//
// A plugin is one that `init` has installed, that the CLI configuration puts in its place
// (dev_overrides), or that another program has started (TF_REATTACH_PROVIDERS). Schemas are
// loaded before anything is compiled or shown; processes start when they are needed.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "addrs/provider.h"
#include "config/provider_requirements.h"
#include "config/tree.h"
#include "diag/diagnostic.h"
#include "install/selected_providers.h"
#include "providers/plugin_source.h"
#include "providers/provider.h"
#include "schema/provider.h"
#include "state/state.h"
#include "workdir/access.h"

namespace tofu::runs {

// Threads: any for opening and finding; loading is done by one.
class RunProviders final : public providers::ProviderSource, public schema::ProviderSchemas {
 public:
  explicit RunProviders(workdir::StateAccess& access);

  // Whether the versions in the lock file are ones that `needed` allows. What is not locked is left
  // to load().
  diag::Checked<void> check_selections(const config::ProviderRequirements& needed,
                                       diag::Diagnostics& diags);
  // Learns the schemas of these, side by side, with an error for each that is not there.
  diag::Checked<void> load(const std::set<addrs::Provider>& needed, diag::Diagnostics& diags);
  // The same for all that have objects in a state.
  diag::Checked<void> load(const state::State& state, diag::Diagnostics& diags);
  // Starts the processes of all that were loaded, because they are going to be needed.
  void start();

  const schema::ProviderSchema* find(const std::string& provider) const override;
  std::unique_ptr<providers::Provider> open(const addrs::Provider& provider,
                                            diag::Diagnostics& diags) override;

 private:
  bool prepare(diag::Diagnostics& diags);
  void hash_packages(const std::vector<addrs::Provider>& needed);
  std::optional<providers::PluginPackage> package_of(const addrs::Provider& provider,
                                                     diag::Diagnostics& diags);

  workdir::StateAccess& access_;
  bool is_prepared_ = false;
  std::map<addrs::Provider, providers::Reattach> reattached_;
  std::optional<install::SelectedProviders> selected_;
  std::set<addrs::Provider> loaded_;
  mutable std::mutex loading_;  // a state may name providers that are not loaded
  providers::PluginSource plugins_;
};

// The schemas of everything that `tree`, with its tests, needs.
diag::Checked<void> load_providers(const config::Tree& tree, RunProviders& providers,
                                   diag::Diagnostics& diags);
// The same for what is in a state.
diag::Checked<void> load_providers(const state::State& state, RunProviders& providers,
                                   diag::Diagnostics& diags);

// Whether the lock file agrees with what `tree`, without its tests, needs, for commands that plan
// or evaluate.
diag::Checked<void> check_selections(const config::Tree& tree, RunProviders& providers,
                                     diag::Diagnostics& diags);

}  // namespace tofu::runs
