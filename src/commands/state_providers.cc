#include "commands/state_providers.h"

#include "commands/state_access.h"

namespace tofu::commands {

std::optional<std::set<addrs::Provider>> providers_of_state(const Configuration& configuration,
                                                            World& world,
                                                            diag::Diagnostics& diags) {
  const auto backend = open_backend({}, configuration, world, diags);
  const auto store = backend ? backend->open(configuration.workspace, diags) : nullptr;
  const auto stored = store ? store->read(diags) : std::nullopt;
  if (!stored) return std::nullopt;
  std::set<addrs::Provider> providers;
  if (!stored->state) return providers;
  for (const state::Resource* resource : stored->state->resources()) {
    if (resource->has_provider()) providers.insert(resource->provider().provider);
  }
  return providers;
}

}  // namespace tofu::commands
