#include "install/provider_requirements.h"

#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace tofu::install {

namespace {

void add(const addrs::Provider& provider, const std::optional<config::Constraints>& constraints,
         ProviderRequirements& out) {
  std::vector<config::Constraint>& all = out[provider];
  if (!constraints) return;
  all.insert(all.end(), constraints->all().begin(), constraints->all().end());
}

void add_resources(const config::Module& module, addrs::ResourceMode mode,
                   ProviderRequirements& out) {
  for (const config::Resource& resource : module.resources(mode)) {
    add(module.provider_for(resource.provider_name()), std::nullopt, out);
  }
}

// An import names a provider, or leaves it to the type of its target.
void add_import(const config::Module& module, const config::Import& import,
                ProviderRequirements& out) {
  const std::string_view name = import.provider ? std::string_view(import.provider->name)
                                                : import.static_to.object.implied_provider();
  add(module.provider_for(name), std::nullopt, out);
}

}  // namespace

void add_requirements(const config::Module& module, ProviderRequirements& out) {
  for (const config::RequiredProvider& required : module.required_providers) {
    add(required.provider, required.constraints, out);
  }
  add_resources(module, addrs::ResourceMode::Managed, out);
  add_resources(module, addrs::ResourceMode::Data, out);
  add_resources(module, addrs::ResourceMode::Ephemeral, out);
  for (const config::Import& import : module.imports) add_import(module, import, out);
  for (const config::ProviderConfig& provider : module.provider_configs) {
    add(module.provider_for(provider.name), provider.version, out);
  }
}

void add_requirements(const config::Tree& tree, ProviderRequirements& out) {
  for (const config::TreeNode& node : tree.nodes) add_requirements(*node.module, out);
  for (const config::TestFile& file : tree.tests) {
    add_requirements(file, *tree.root().module, out);
  }
  for (const config::TestTree& test : tree.test_trees) add_requirements(*test.tree, out);
}

void add_requirements(const config::TestFile& file, const config::Module& tested,
                      ProviderRequirements& out) {
  for (const config::ProviderConfig& provider : file.providers) {
    add(tested.provider_for(provider.name), provider.version, out);
  }
}

void check_import_providers(const config::Module& module, diag::Diagnostics& diags) {
  for (const config::Import& import : module.imports) {
    if (!import.provider || !import.static_to.module.is_root()) continue;
    const config::Resource* target = module.resource(import.static_to.object);
    if (target == nullptr) continue;
    if (target->provider && target->provider->address() == import.provider->address()) continue;
    diags.error("Import and resource disagree on the provider")
        .detail(fmt::format("The provider of {} is said by its resource block. Write the same "
                            "provider argument there, or remove this one.",
                            target->address().to_string()))
        .at(import.provider_range);
  }
}

}  // namespace tofu::install
