#include "config/test_tree.h"

#include <memory>
#include <utility>

namespace tofu::config {

Tree with_providers(const Tree& tree, base::Named<ProviderConfig> providers,
                    const ProviderInstances& instances,
                    std::shared_ptr<const symbols::SymbolSource> symbols) {
  Tree made;
  made.nodes.reserve(tree.nodes.size());
  for (const TreeNode& node : tree.nodes) {
    TreeNode& copy = made.nodes.emplace_back();
    copy.id = node.id;
    copy.path = node.path;
    copy.module = node.module;
    copy.directory = node.directory;
    copy.files = node.files;
    copy.parent = node.parent;
    copy.call = node.call;
    copy.symbols = node.symbols;
    copy.provider_instances = node.provider_instances;
    copy.source = node.source;
    copy.version = node.version;
    copy.is_local = node.is_local;
    copy.children = node.children;
  }
  TreeNode& root = made.nodes.front();
  root.test_providers = std::make_shared<const base::Named<ProviderConfig>>(std::move(providers));
  if (symbols != nullptr) root.symbols = std::move(symbols);
  for (const auto& [key, each] : instances) root.provider_instances.insert_or_assign(key, each);
  return made;
}

}  // namespace tofu::config
