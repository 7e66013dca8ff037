#include "engine/find_module.h"

#include <string_view>

namespace tofu::engine {

namespace {

template <class Steps, class NameOf>
const config::TreeNode* descend(const config::Tree& tree, const Steps& steps, NameOf name_of) {
  const config::TreeNode* node = &tree.root();
  for (const auto& step : steps) {
    const auto child = node->children.find(std::string_view(name_of(step)));
    if (child == node->children.end()) return nullptr;
    node = &tree.node(child->second);
  }
  return node;
}

}  // namespace

const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModulePath& path) {
  return descend(tree, path.names,
                 [](const std::string& name) -> const std::string& { return name; });
}

const config::TreeNode* find_module(const config::Tree& tree, const addrs::ModuleInstance& module) {
  return descend(tree, module.steps,
                 [](const addrs::ModuleStep& step) -> const std::string& { return step.name; });
}

}  // namespace tofu::engine
