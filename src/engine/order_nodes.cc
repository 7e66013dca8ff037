#include "engine/order_nodes.h"

#include <utility>

#include "engine/order.h"
#include "engine/program_rows.h"

namespace tofu::engine {

using plans::Action;

OrderNodes::OrderNodes(const eval::Program& program, const plans::Plan& plan,
                       const state::State& prior)
    : program_(program),
      plan_(plan),
      prior_(prior),
      by_row_(program.objects.size()),
      by_id_(plan.addresses.resource_count()) {
  for (std::uint32_t i = 0; i < plan.changes.size(); ++i) add(i);
  find_successors();
}

void OrderNodes::add(std::uint32_t position) {
  const Action action = plan_.changes[position].action;
  if (action == Action::Forget) return forgets.push_back(position);
  if (makes(action)) add_making(position);
  if (destroys(action)) add_destroying(position);
}

void OrderNodes::find_successors() {
  std::map<std::pair<std::uint32_t, addrs::InstanceKey>, std::vector<std::uint32_t>> deposed;
  for (std::uint32_t i = 0; i < plan_.changes.size(); ++i) {
    const plans::ResourceChange& change = plan_.changes[i];
    if (!change.deposed().empty() && destroys(change.action)) {
      deposed[{change.resource.index, change.key}].push_back(i);
    }
  }
  if (deposed.empty()) return;
  for (std::uint32_t i = 0; i < plan_.changes.size(); ++i) {
    const plans::ResourceChange& change = plan_.changes[i];
    if (!change.deposed().empty() || !makes(change.action)) continue;
    const auto found = deposed.find({change.resource.index, change.key});
    if (found == deposed.end()) continue;
    for (const std::uint32_t each : found->second) successors.emplace(each, i);
  }
}

void OrderNodes::add_making(std::uint32_t position) {
  const plans::ResourceChange& change = plan_.changes[position];
  const std::uint32_t resource = number_of(change.resource);
  if (!resources[resource].row) return;
  const ResourceNumbers* needs =
      needs_of(prior_.object(plan_.addresses.instance(change.resource, change.key)));
  ResourceNodes& nodes = resources[resource];
  PartNodes& part = part_of(change, resource);
  if (!nodes.makes) nodes.making_provider = plan_.addresses[change.provider].config.to_string();
  nodes.makes = part.makes = true;
  nodes.makes_anew = nodes.makes_anew || needs == nullptr;
  group_of(part, needs).makes.push_back(position);
}

void OrderNodes::add_destroying(std::uint32_t position) {
  const plans::ResourceChange& change = plan_.changes[position];
  const std::uint32_t resource = number_of(change.resource);
  const addrs::AbsResourceInstance address = plan_.addresses.instance(change.resource, change.key);
  const std::string deposed(change.deposed());
  const state::Object* current = prior_.object(address);
  const state::Object* object = current != nullptr ? current : prior_.object(address, deposed);
  const ResourceNumbers* needs = needs_of(object);

  ResourceNodes& nodes = resources[resource];
  PartNodes& part = part_of(change, resource);
  if (!part.destroys()) {
    const addrs::AbsProviderConfig& provider = plan_.addresses[change.provider].config;
    part.provider = provider.to_string();
    nodes.destroying_providers.insert(part.provider);
  }
  const auto provider_row = row_at(plan_.rows.providers[change.provider.index]);
  if (provider_row) part.provider_rows.insert(*provider_row);
  // What goes for good goes when it would have gone if it had been replaced, as its last
  // change decided; a deposed object has its successor already.
  const bool last =
      !deposed.empty() || change.action == Action::CreateThenDelete ||
      (change.action == Action::Delete && object != nullptr && object->create_before_destroy());
  ChangeGroup& group = group_of(part, needs);
  (last ? group.last : group.first).push_back(position);
  (last ? part.destroys_last : part.destroys_first) = true;
  (last ? nodes.destroys_last : nodes.destroys_first) = true;
}

PartNodes& OrderNodes::part_of(const plans::ResourceChange& change, std::uint32_t resource) {
  ResourceNodes& nodes = resources[resource];
  const plans::ModuleId module = plan_.addresses[change.resource].module;
  const auto [place, is_new] = nodes.by_module.try_emplace(module.index, nodes.parts.size());
  if (is_new) nodes.parts.push_back({.module = module});
  return nodes.parts[place->second];
}

ChangeGroup& OrderNodes::group_of(PartNodes& part, const ResourceNumbers* needs) {
  const auto [place, is_new] = part.by_needs.try_emplace(needs, part.groups.size());
  if (is_new) part.groups.push_back({.needs = needs});
  return part.groups[place->second];
}

const ResourceNumbers* OrderNodes::needs_of(const state::Object* object) {
  if (object == nullptr) return nullptr;
  const std::string_view text = object->dependencies_text();
  const auto known = needs_.find(text);
  if (known != needs_.end()) return &known->second;
  ResourceNumbers numbers;
  for (const addrs::ConfigResource& resource : object->dependencies()) {
    numbers.insert(number_of(resource));
  }
  return &needs_.emplace(text, std::move(numbers)).first->second;
}

std::uint32_t OrderNodes::number_of(plans::ResourceId resource) {
  std::optional<std::uint32_t>& number = by_id_[resource.index];
  if (!number) {
    const plans::ResourceRow& row = plan_.addresses[resource];
    number = number_of(row_at(plan_.rows.resources[resource.index]),
                       {plan_.addresses[row.module].path(), row.resource});
  }
  return *number;
}

std::uint32_t OrderNodes::number_of(const addrs::ConfigResource& resource) {
  return number_of(resource_row(program_, resource), resource);
}

std::uint32_t OrderNodes::number_of(std::optional<eval::ObjectId> row,
                                    addrs::ConfigResource resource) {
  const auto next = static_cast<std::uint32_t>(resources.size());
  if (row) {
    std::optional<std::uint32_t>& number = by_row_[row->index];
    if (number) return *number;
    number = next;
  } else {
    const auto [found, is_new] = by_address_.try_emplace(resource.to_string(), next);
    if (!is_new) return found->second;
  }
  resources.push_back({std::move(resource), row});
  return next;
}

}  // namespace tofu::engine
