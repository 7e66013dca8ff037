#include "engine/program_rows.h"

#include "engine/find_module.h"
#include "eval/bindings.h"
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
    const auto* found = node->provider_configs().find(local.compact());
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
  const addrs::AbsProviderConfig* last = nullptr;
  for (const state::Resource* resource : state.resources()) {
    if (last == &resource->provider()) continue;
    if (!targeting.is_everything() && !has_any(*resource, targeting)) continue;
    last = &resource->provider();
    if (const auto provider = provider_row(program, *last)) need(provider->index);
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
    if (program.reasons[edge] != eval::Why::Inside) referred[program.waits.edges[edge]] = true;
  }
  return referred;
}

AppliedRows rows_to_apply(const eval::Program& program, const std::vector<bool>& works) {
  const auto is_for_others = [&](const eval::Object& object) {
    switch (object.kind) {
      case eval::ObjectKind::Argument:
      case eval::ObjectKind::Local:
      case eval::ObjectKind::ModuleEnd: return true;
      case eval::ObjectKind::Variable:
        return std::get<const config::Variable*>(object.declaration)->validations.empty();
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
    if (works[*row] || is_output) unneeded[*row] = false;
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
