#include "engine/program_rows.h"

#include "engine/find_module.h"
#include "eval/shape.h"

namespace tofu::engine {

namespace {

const eval::ModuleRows& rows_of(const eval::Program& program, const config::TreeNode& node) {
  return program.modules[static_cast<std::size_t>(&node - program.tree->nodes.data())];
}

eval::ObjectId row_of(const eval::Program& program, const config::TreeNode& node,
                      const void* declaration) {
  const eval::ModuleRows& rows = rows_of(program, node);
  return {rows.first.index + rows.shape->row_of(declaration)};
}

}  // namespace

std::optional<eval::ObjectId> resource_row(const eval::Program& program,
                                           const addrs::ConfigResource& resource) {
  const config::TreeNode* node = find_module(*program.tree, resource.module);
  const config::Resource* found = node ? node->module->resource(resource.object) : nullptr;
  if (found == nullptr) return std::nullopt;
  return row_of(program, *node, found);
}

std::optional<eval::ObjectId> provider_row(const eval::Program& program,
                                           const addrs::AbsProviderConfig& provider) {
  for (std::optional at = provider; at; at = addrs::inherited_from(*at)) {
    const config::TreeNode* node = find_module(*program.tree, at->module);
    if (node == nullptr) continue;
    const addrs::LocalProviderConfig local{node->module->local_name_of(at->provider), at->alias};
    const auto* found = node->module->provider_configs.find(local.compact());
    if (found != nullptr) return row_of(program, *node, found);
  }
  if (!provider.alias.empty()) return std::nullopt;
  const std::size_t implicit = program.objects.size() - program.implicit_providers.size();
  for (std::size_t i = 0; i < program.implicit_providers.size(); ++i) {
    if (program.implicit_providers[i]->provider == provider.provider) {
      return eval::ObjectId{static_cast<std::uint32_t>(implicit + i)};
    }
  }
  return std::nullopt;
}

eval::ObjectId module_start(const eval::Program& program, const addrs::ModulePath& module) {
  addrs::ModulePath at = module;
  const config::TreeNode* node = find_module(*program.tree, at);
  while (node == nullptr) {
    at = at.parent();
    node = find_module(*program.tree, at);
  }
  return rows_of(program, *node).first;
}

}  // namespace tofu::engine
