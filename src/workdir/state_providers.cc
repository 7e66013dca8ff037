#include "workdir/state_providers.h"

#include <utility>
#include <vector>

#include "config/provider_requirements.h"
#include "workdir/access.h"
#include "workdir/journal_recovery.h"
#include "workdir/state_access.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

diag::Checked<std::set<addrs::Provider>> providers_of_state(const Configuration& configuration,
                                                            RecordedHosts hosts,
                                                            StateAccess& access,
                                                            diag::Diagnostics& diags) {
  const auto backend = open_backend({}, configuration, access, diags);
  // Setting up the backend may have selected another workspace than the one that the
  // configuration was loaded with.
  const auto store = backend ? backend->open(workspace_name(access.environment()), diags) : nullptr;
  const auto stored = store ? read_without_report(*store, diags) : std::nullopt;
  if (!stored) return std::nullopt;
  std::set<addrs::Provider> providers;
  if (!stored->state) return providers;
  const state::State state =
      hosts == RecordedHosts::Kept
          ? *stored->state
          : with_providers_of_here(*stored->state, configuration.tree, access.environment());
  for (const state::Resource* resource : state.resources()) {
    if (resource->has_provider()) providers.insert(resource->provider().provider);
  }
  return providers;
}

state::State with_providers_of_here(state::State state, const config::Tree& tree,
                                    const cli::Environment& environment) {
  if (environment.variable("OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION") == "0") return state;
  std::vector<addrs::AbsResource> elsewhere;
  for (const state::Resource* resource : state.resources()) {
    if (!resource->has_provider()) continue;
    if (resource->provider().provider.host.ascii == kTerraformRegistryHost) {
      elsewhere.push_back(resource->address());
    }
  }
  if (elsewhere.empty()) return state;
  config::ProviderRequirements required;
  config::add_requirements(tree, required);
  const addrs::Provider here = addrs::default_provider("any");
  for (const addrs::AbsResource& address : elsewhere) {
    addrs::AbsProviderConfig provider = state.resource(address)->provider();
    if (required.contains(provider.provider)) continue;
    provider.provider.host = here.host;
    state.change(address)->set_provider(state.share(provider));
  }
  return state;
}

}  // namespace tofu::workdir
