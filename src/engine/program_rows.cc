#include "engine/program_rows.h"

#include <string_view>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "config/resolved_provider.h"
#include "eval/bindings.h"
#include "eval/shape.h"

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

namespace {

const eval::ModuleRows& rows_of(const eval::Program& program, const config::TreeNode& node) {
  return program.modules[node.id.index];
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
  const config::TreeNode* node = find_module(*program.tree, provider.module);
  if (node == nullptr) return std::nullopt;
  const auto found =
      config::resolve_exactly(*program.tree, node->id, provider.provider, provider.alias);
  if (!found) return std::nullopt;
  if (found->config != nullptr) {
    return row_of(program, program.node(found->module), found->config);
  }
  const std::size_t implicit = program.objects.size() - program.implicit_providers.size();
  for (std::size_t i = 0; i < program.implicit_providers.size(); ++i) {
    if (program.implicit_providers[i]->provider == provider.provider) {
      return eval::ObjectId{static_cast<std::uint32_t>(implicit + i)};
    }
  }
  return std::nullopt;
}

plans::BoundRows bound_rows(const eval::Program& program, const plans::Addresses& addresses,
                            std::vector<std::uint32_t> resources) {
  const auto number_of = [](std::optional<eval::ObjectId> row) {
    return row ? row->index : plans::BoundRows::kNone;
  };
  plans::BoundRows rows;
  std::vector<const config::TreeNode*> modules;
  for (std::uint32_t i = 0; i < addresses.module_count(); ++i) {
    modules.push_back(find_module(*program.tree, addresses[plans::ModuleId{i}]));
    rows.modules.push_back(modules[i] == nullptr ? plans::BoundRows::kNone : modules[i]->id.index);
  }
  rows.resources = std::move(resources);
  rows.resources.resize(addresses.resource_count(), plans::BoundRows::kNone);
  for (std::uint32_t i = 0; i < rows.resources.size(); ++i) {
    const plans::ResourceRow& resource = addresses[plans::ResourceId{i}];
    const config::TreeNode* node = modules[resource.module.index];
    if (rows.resources[i] != plans::BoundRows::kNone || node == nullptr) continue;
    const config::Resource* declared = node->module->resource(resource.resource);
    if (declared != nullptr) rows.resources[i] = row_of(program, *node, declared).index;
  }
  for (std::uint32_t i = 0; i < addresses.provider_count(); ++i) {
    rows.providers.push_back(
        number_of(provider_row(program, addresses[plans::ProviderId{i}].config)));
  }
  return rows;
}

std::vector<std::uint32_t> bound_checks(const eval::Program& program,
                                        const std::vector<plans::CheckedObject>& checks) {
  const auto in = [&](const addrs::ModulePath& path, auto declared_in) {
    const config::TreeNode* node = find_module(*program.tree, path);
    const void* declared = node == nullptr ? nullptr : declared_in(*node->module);
    return declared == nullptr ? std::nullopt : std::optional(row_of(program, *node, declared));
  };
  std::vector<std::uint32_t> rows;
  for (const plans::CheckedObject& object : checks) {
    const auto row = std::visit(
        base::Overloaded{
            [&](const addrs::ConfigResource& address) { return resource_row(program, address); },
            [&](const addrs::ConfigOutputValue& address) {
              return in(address.module, [&](const config::Module& module) {
                return module.outputs.find(address.object.name);
              });
            },
            [&](const addrs::ConfigCheck& address) {
              return in(address.module, [&](const config::Module& module) {
                return module.checks.find(address.object.name);
              });
            },
            [&](const addrs::ConfigInputVariable& address) {
              return in(address.module, [&](const config::Module& module) {
                return module.variables.find(address.object.name);
              });
            }},
        object.address);
    rows.push_back(row ? row->index : plans::BoundRows::kNone);
  }
  return rows;
}

eval::ObjectId check_row(const eval::Program& program, eval::ObjectId data_source) {
  const eval::Object& object = program.object(data_source);
  const config::TreeNode& node = program.node(object.module);
  const auto& resource = *std::get<const config::Resource*>(object.declaration);
  return row_of(program, node, node.module->checks.find(resource.check));
}

std::uint64_t fingerprint(const eval::Program& program) {
  // FNV-1a, by numbers instead of bytes.
  std::uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](std::uint64_t number) { hash = (hash ^ number) * 0x100000001b3; };
  for (const eval::Object& object : program.objects) {
    add(static_cast<std::uint64_t>(object.kind) << 32 | object.module.index);
  }
  for (const std::uint32_t begin : program.waits.begin) add(begin);
  for (const std::uint32_t edge : program.waits.edges) add(edge);
  return hash >> 1;  // a plan file has signed numbers
}

std::optional<eval::ObjectId> StoredProviders::row_of(const state::Resource& resource) {
  if (last_ != &resource.provider()) {
    last_ = &resource.provider();
    last_row_ = provider_row(program_, *last_);
  }
  if (last_row_) return last_row_;
  const addrs::AbsResource& address = resource.address();
  const auto row = resource_row(program_, {address.module.path(), address.object});
  return row ? program_.provider_configs[row->index] : std::nullopt;
}

namespace {

// By row; empty if nothing is substituted.
std::vector<bool> substituted_rows(const eval::Program& program, const Substitutes* substitutes) {
  std::vector<bool> rows;
  if (substitutes == nullptr) return rows;
  std::vector<bool> modules(program.tree->nodes.size());
  bool any = false;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const config::TreeNode& node = program.tree->nodes[i];
    modules[i] = (node.parent && modules[node.parent->index]) ||
                 substitutes->outputs_of(node.path) != nullptr;
    any = any || modules[i];
  }
  if (!any) return rows;
  rows.resize(program.objects.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const eval::Object& object = program.objects[i];
    rows[i] = modules[object.module.index] &&
              (object.kind == eval::ObjectKind::Resource || object.kind == eval::ObjectKind::Check);
  }
  return rows;
}

}  // namespace

ActiveRows::ActiveRows(const eval::Program& program, const Substitutes* substitutes,
                       std::vector<bool> left_out)
    : program_(program),
      substituted_(substituted_rows(program, substitutes)),
      left_out_(std::move(left_out)) {
  if (left_out_.empty()) left_out_ = substituted_;
  for (std::size_t i = 0; i < substituted_.size(); ++i) {
    left_out_[i] = left_out_[i] || substituted_[i];
  }
}

std::vector<bool> ActiveRows::used_providers(const state::State& state) const {
  std::vector<bool> used(program_.objects.size());
  for (std::size_t row = 0; row < program_.provider_configs.size(); ++row) {
    const bool exists = substituted_.empty() || !substituted_[row];
    const auto& config = program_.provider_configs[row];
    if (config && exists) used[config->index] = true;
  }
  for (const eval::ModuleRows& module : program_.modules) {
    for (const eval::ObjectId config : module.function_providers) used[config.index] = true;
  }
  StoredProviders stored(program_);
  for (const state::Resource* resource : state.resources()) {
    if (const auto config = stored.row_of(*resource)) used[config->index] = true;
  }
  return used;
}

void name_blocks(const eval::Program& program, eval::ObjectId row, diag::Diagnostics& diags) {
  const config::TreeNode& node = program.node(program.object(row).module);
  node.module->name_blocks(diags.items_from(0));
  if (node.parent) program.node(*node.parent).module->name_blocks(diags.items_from(0));
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

namespace {

bool has_any(const state::Resource& resource, const DestroyTargeting& targeting) {
  bool found = false;
  resource.for_each([&](const state::Instance& instance) {
    const auto address = addrs::instance_of(resource.address(), instance.key());
    found = found || targeting.has(address) || targeting.has_deposed(address);
  });
  return found;
}

}  // namespace

std::vector<bool> unneeded_to_destroy(const eval::Program& program, const state::State& state,
                                      const DestroyTargeting& targeting) {
  const eval::Waits& waits = program.waits;
  std::vector<bool> unneeded(program.objects.size(), true);
  std::vector<std::uint32_t> open;
  const auto need = [&](std::uint32_t row) {
    if (!unneeded[row]) return;
    unneeded[row] = false;
    open.push_back(row);
  };
  for (std::uint32_t row = 0; row < unneeded.size(); ++row) {
    const eval::Object& object = program.objects[row];
    if (object.kind != eval::ObjectKind::Resource) continue;
    if (std::get<const config::Resource*>(object.declaration)->prevent_destroy == nullptr) continue;
    for (std::uint32_t edge = waits.begin[row]; edge < waits.begin[row + 1]; ++edge) {
      if (program.reasons[edge] == eval::Why::Lifecycle) need(waits.edges[edge]);
    }
  }
  StoredProviders providers(program);
  for (const state::Resource* resource : state.resources()) {
    if (!targeting.is_everything() && !has_any(*resource, targeting)) continue;
    if (const auto provider = providers.row_of(*resource)) need(provider->index);
  }
  while (!open.empty()) {
    const std::uint32_t row = open.back();
    open.pop_back();
    for (const std::uint32_t wait : waits.of(row)) need(wait);
  }
  return unneeded;
}

std::vector<bool> referred_rows(const eval::Program& program) {
  std::vector<bool> referred(program.objects.size());
  for (std::size_t edge = 0; edge < program.reasons.size(); ++edge) {
    if (program.reasons[edge] != eval::Why::Impl) referred[program.waits.edges[edge]] = true;
  }
  return referred;
}

bool is_validated_variable(const eval::Object& object) {
  return object.kind == eval::ObjectKind::Variable &&
         !std::get<const config::Variable*>(object.declaration)->validations.empty();
}

AppliedRows rows_to_apply(const eval::Program& program, const std::vector<bool>& works) {
  const auto is_for_others = [&](const eval::Object& object) {
    switch (object.kind) {
      case eval::ObjectKind::Argument:
      case eval::ObjectKind::Local:
      case eval::ObjectKind::ModuleEnd: return true;
      case eval::ObjectKind::Variable: return !is_validated_variable(object);
      case eval::ObjectKind::Output: return !program.node(object.module).path.is_root();
      case eval::ObjectKind::ModuleStart:
      case eval::ObjectKind::Resource:
      case eval::ObjectKind::Provider:
      case eval::ObjectKind::Check:
      case eval::ObjectKind::Import: return false;
    }
    return false;
  };
  const auto is_resource = [&](std::uint32_t row) {
    return program.objects[row].kind == eval::ObjectKind::Resource;
  };
  std::vector<bool> unneeded(program.objects.size(), true);
  std::vector<bool> referred = works;  // or by more than outputs of the root
  for (auto row = program.order.rbegin(); row != program.order.rend(); ++row) {
    const eval::Object& object = program.objects[*row];
    if (unneeded[*row] && is_for_others(object)) continue;
    unneeded[*row] = false;
    if (is_resource(*row) && !referred[*row]) continue;
    const bool is_end = object.kind == eval::ObjectKind::ModuleEnd;
    const bool is_root_output = object.kind == eval::ObjectKind::Output && !is_for_others(object);
    for (const std::uint32_t wait : program.waits.of(*row)) {
      // Who names a whole module reads its outputs, and nothing else of it.
      if (is_end && program.objects[wait].kind != eval::ObjectKind::Output) continue;
      unneeded[wait] = false;
      if (!is_root_output || !is_resource(wait)) referred[wait] = true;
    }
  }
  return {std::move(unneeded), std::move(referred)};
}

AppliedRows rows_to_apply_part(const eval::Program& program, const std::vector<bool>& works,
                               const Targeting& targeting) {
  std::vector<bool> unneeded(program.objects.size(), true);
  std::vector<bool> referred = works;
  for (auto row = program.order.rbegin(); row != program.order.rend(); ++row) {
    const eval::Object& object = program.objects[*row];
    const bool is_output = object.kind == eval::ObjectKind::Output &&
                           program.node(object.module).path.is_root() && targeting.has({*row});
    const bool is_rule = is_validated_variable(object) && targeting.has({*row});
    if (works[*row] || is_output || is_rule) unneeded[*row] = false;
    if (unneeded[*row]) continue;
    if (object.kind == eval::ObjectKind::Resource && !works[*row]) continue;
    for (const std::uint32_t wait : program.waits.of(*row)) {
      unneeded[wait] = false;
      if (!is_output) referred[wait] = true;
    }
  }
  return {std::move(unneeded), std::move(referred)};
}

}  // namespace tofu::engine
