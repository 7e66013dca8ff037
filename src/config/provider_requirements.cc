#include "config/provider_requirements.h"

#include <optional>
#include <set>
#include <string_view>

namespace tofu::config {

namespace {

void add(const addrs::Provider& provider, const std::optional<addrs::Constraints>& constraints,
         ProviderRequirements& out) {
  std::vector<addrs::Constraint>& all = out[provider];
  if (!constraints) return;
  all.insert(all.end(), constraints->all().begin(), constraints->all().end());
}

// By local name first: thousands of resources share a handful of providers.
void add_resources(const Module& module, std::set<std::string_view>& names) {
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    for (const Resource& resource : module.resources(mode)) names.insert(resource.provider_name());
  }
}

// An import names a provider, or leaves it to the type of its target.
void add_import(const Module& module, const Import& import, ProviderRequirements& out) {
  if (!import.provider && import.to == nullptr) return;
  const std::string_view name = import.provider ? std::string_view(import.provider->name)
                                                : import.static_to.object.implied_provider();
  add(module.provider_for(name), std::nullopt, out);
}

}  // namespace

void add_requirements(const Module& module, ProviderRequirements& out) {
  for (const RequiredProvider& required : module.required_providers) {
    add(required.provider, required.constraints, out);
  }
  std::set<std::string_view> names;
  add_resources(module, names);
  for (const std::string_view name : names) add(module.provider_for(name), std::nullopt, out);
  for (const Import& import : module.imports) add_import(module, import, out);
  for (const ProviderConfig& provider : module.provider_configs) {
    add(module.provider_for(provider.name), provider.version, out);
  }
}

void add_requirements(const Tree& tree, ProviderRequirements& out) {
  for (const TreeNode& node : tree.nodes) add_requirements(*node.module, out);
  for (const TestFile& file : tree.tests) {
    add_requirements(file, *tree.root().module, out);
  }
  for (const TestTree& test : tree.test_trees) add_requirements(*test.tree, out);
}

void add_requirements(const TestFile& file, const Module& tested, ProviderRequirements& out) {
  for (const ProviderConfig& provider : file.providers) {
    add(tested.provider_for(provider.name), provider.version, out);
  }
}

}  // namespace tofu::config
