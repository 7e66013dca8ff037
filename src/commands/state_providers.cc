#include "commands/state_providers.h"

#include "commands/state_access.h"
#include "commands/workspace.h"

namespace tofu::commands {

std::optional<std::set<addrs::Provider>> providers_of_state(const config::Module& root,
                                                            const World& world,
                                                            diag::Diagnostics& diags) {
  std::set<addrs::Provider> providers;
  if (root.backend || root.cloud) return providers;
  const auto backend = open_backend({}, root, diags);
  if (!backend) return std::nullopt;
  const auto store = backend->open(workspace_name(world.environment), diags);
  if (!store) return std::nullopt;
  const auto stored = store->read(diags);
  if (!stored) return std::nullopt;
  if (!stored->state) return providers;
  for (const state::Resource* resource : stored->state->resources()) {
    if (resource->has_provider()) providers.insert(resource->provider().provider);
  }
  return providers;
}

}  // namespace tofu::commands
