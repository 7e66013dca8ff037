#include "config/resolved_provider.h"

#include <utility>

namespace tofu::config {

namespace {

const PassedProvider* passed_as(const TreeNode& node, const addrs::Provider& provider,
                                std::string_view alias) {
  if (node.call == nullptr) return nullptr;
  for (const PassedProvider& passed : node.call->providers) {
    if (passed.in_child.alias == alias &&
        node.module->provider_for(passed.in_child.name) == provider) {
      return &passed;
    }
  }
  return nullptr;
}

// Where a module has several for the same provider, the one that required_providers names
// counts, then the first.
const ProviderConfig* find_config(const TreeNode& node, const addrs::Provider& provider,
                                  const std::string& alias) {
  const base::Named<ProviderConfig>& all = node.provider_configs();
  const std::string name = node.module->local_name_of(provider);
  const ProviderConfig* usual = all.find(addrs::LocalProviderConfig{name, alias}.compact());
  if (usual != nullptr && node.module->provider_for(name) == provider) return usual;
  for (const ProviderConfig& config : all) {
    if (config.alias == alias && node.module->provider_for(config.name) == provider) {
      return &config;
    }
  }
  return nullptr;
}

}  // namespace

ResolvedProvider resolve_provider(const Tree& tree, ModuleId module, std::string_view local_name,
                                  std::string_view alias) {
  ResolvedProvider at;
  at.provider = tree.node(module).module->provider_for(local_name);
  at.module = module;
  at.name = {std::string(local_name), std::string(alias)};
  bool is_passed = false;
  while (true) {
    const TreeNode& node = tree.node(at.module);
    const PassedProvider* passed = passed_as(node, at.provider, at.name.alias);
    if (passed == nullptr) at.config = find_config(node, at.provider, at.name.alias);
    // The passed one may be another provider there, which is a warning only.
    if (passed == nullptr && at.config == nullptr && is_passed) {
      at.config = node.provider_configs().find(at.name.compact());
    }
    const bool ends_here = passed == nullptr && !at.name.alias.empty();
    if (at.config != nullptr || !node.parent || ends_here) return at;
    at.module = *node.parent;
    is_passed = passed != nullptr;
    if (!is_passed) {
      at.name.local_name = tree.node(at.module).module->local_name_of(at.provider);
      continue;
    }
    at.name = passed->in_parent.address();
    if (passed->in_parent.key != nullptr) {
      at.key = passed->in_parent.key;
      at.key_module = at.module;
    }
  }
}

std::optional<ResolvedProvider> resolve_exactly(const Tree& tree, ModuleId module,
                                                const addrs::Provider& provider,
                                                std::string_view alias) {
  ResolvedProvider at;
  at.provider = provider;
  at.module = module;
  at.name.alias = alias;
  while (const PassedProvider* passed = passed_as(tree.node(at.module), provider, at.name.alias)) {
    at.module = *tree.node(at.module).parent;
    at.name = passed->in_parent.address();
  }
  const TreeNode& node = tree.node(at.module);
  at.name.local_name = node.module->local_name_of(provider);
  at.config = find_config(node, provider, at.name.alias);
  const bool is_default = !node.parent && at.name.alias.empty();
  if (at.config == nullptr && !is_default) return std::nullopt;
  return at;
}

}  // namespace tofu::config
