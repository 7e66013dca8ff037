#include "config/resolved_provider.h"

#include <utility>

namespace tofu::config {

namespace {

const PassedProvider* passed_as(const TreeNode& node, const addrs::LocalProviderConfig& name) {
  if (node.call == nullptr) return nullptr;
  for (const PassedProvider& passed : node.call->providers) {
    if (passed.in_child.name == name.local_name && passed.in_child.alias == name.alias) {
      return &passed;
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
  bool is_inherited = false;
  while (true) {
    const TreeNode& node = tree.node(at.module);
    const PassedProvider* passed = passed_as(node, at.name);
    // The same name may stand for another provider in a module further up.
    const bool is_same =
        !is_inherited || node.module->provider_for(at.name.local_name) == at.provider;
    if (passed == nullptr && is_same) {
      at.config = node.provider_configs().find(at.name.compact());
    }
    const bool ends_here = passed == nullptr && !at.name.alias.empty();
    if (at.config != nullptr || !node.parent || ends_here) return at;
    at.module = *node.parent;
    is_inherited = passed == nullptr;
    if (is_inherited) {
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

}  // namespace tofu::config
