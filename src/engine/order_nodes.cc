#include "engine/order_nodes.h"

#include <algorithm>
#include <utility>

#include "engine/program_rows.h"

namespace tofu::engine {

using plans::Action;

bool makes(Action action) {
  switch (action) {
    case Action::NoOp:
    case Action::Delete:
    case Action::Forget: return false;
    case Action::Create:
    case Action::Read:
    case Action::Update:
    case Action::DeleteThenCreate:
    case Action::CreateThenDelete:
    case Action::ForgetThenCreate: return true;
  }
  return false;
}

bool destroys(Action action) {
  return action == Action::Delete || action == Action::DeleteThenCreate ||
         action == Action::CreateThenDelete;
}

ResourceNumbers Needs::all() const {
  ResourceNumbers all;
  for (const ResourceNumbers* set : sets_) all.insert(set->begin(), set->end());
  return all;
}

OrderNodes::OrderNodes(const eval::Program& program, const plans::Plan& plan,
                       const state::State& prior)
    : program_(program), plan_(plan), prior_(prior), by_id_(plan.addresses.resource_count()) {
  const bool has_deposed = std::ranges::any_of(
      plan.changes, [](const plans::ResourceChange& change) { return !change.deposed().empty(); });
  if (has_deposed) {
    for (const plans::ResourceChange& change : plan.changes) {
      if (makes(change.action)) made_.emplace(change.resource.index, change.key);
    }
  }
  for (std::uint32_t i = 0; i < plan.changes.size(); ++i) add(i);
}

void OrderNodes::add(std::uint32_t position) {
  const plans::ResourceChange& change = plan_.changes[position];
  if (change.action == Action::NoOp) return;
  if (change.action == Action::Forget) return forgets.push_back(position);
  const std::uint32_t resource = number_of(change.resource);
  if (makes(change.action)) add_making(change, resource);
  if (destroys(change.action)) add_destroying(change, position, resource);
}

void OrderNodes::add_making(const plans::ResourceChange& change, std::uint32_t resource) {
  const state::Object* object =
      prior_.object(plan_.addresses.instance(change.resource, change.key));
  const ResourceNumbers* needs = object != nullptr ? &needs_of(*object) : nullptr;
  ResourceNodes& nodes = resources[resource];
  if (!nodes.makes) nodes.provider = plan_.addresses[change.provider].config.to_string();
  nodes.makes = true;
  if (needs != nullptr) {
    nodes.needs.add(*needs);
  } else {
    nodes.makes_more = true;
  }
}

void OrderNodes::add_destroying(const plans::ResourceChange& change, std::uint32_t position,
                                std::uint32_t resource) {
  const addrs::AbsResourceInstance address = plan_.addresses.instance(change.resource, change.key);
  const std::string deposed(change.deposed());
  const state::Object* current = prior_.object(address);
  const state::Object* object = current != nullptr ? current : prior_.object(address, deposed);
  const ResourceNumbers* needs = object != nullptr ? &needs_of(*object) : nullptr;

  Destroys& of_module = destroys_of(change, resource);
  if (needs != nullptr) of_module.needs.add(*needs);
  // What goes for good goes when it would have gone if it had been replaced, as its last
  // change decided; a deposed object has its successor already.
  const bool last =
      !deposed.empty() || change.action == Action::CreateThenDelete ||
      (change.action == Action::Delete && object != nullptr && object->create_before_destroy());
  Destroys::Node& node = last ? of_module.last : of_module.first;
  node.changes.push_back(position);
  node.replaces = node.replaces || plans::is_replace(change.action);
  node.follows =
      node.follows || (!deposed.empty() && made_.contains({change.resource.index, change.key}));
  (last ? resources[resource].destroys_last : resources[resource].destroys_first) = true;
}

Destroys& OrderNodes::destroys_of(const plans::ResourceChange& change, std::uint32_t resource) {
  ResourceNodes& nodes = resources[resource];
  const plans::ModuleId module = plan_.addresses[change.resource].module;
  const auto [place, is_new] = nodes.by_module.try_emplace(module.index, nodes.destroys.size());
  if (is_new) {
    const addrs::AbsProviderConfig& provider = plan_.addresses[change.provider].config;
    nodes.destroys.push_back({.module = module,
                              .provider = provider.to_string(),
                              .provider_row = provider_row(program_, provider)});
  }
  return nodes.destroys[place->second];
}

const ResourceNumbers& OrderNodes::needs_of(const state::Object& object) {
  const std::string_view text = object.dependencies_text();
  const auto known = needs_.find(text);
  if (known != needs_.end()) return known->second;
  ResourceNumbers numbers;
  for (const addrs::ConfigResource& resource : object.dependencies()) {
    numbers.insert(number_of(resource));
  }
  return needs_.emplace(text, std::move(numbers)).first->second;
}

std::uint32_t OrderNodes::number_of(plans::ResourceId resource) {
  std::optional<std::uint32_t>& number = by_id_[resource.index];
  if (!number) {
    const plans::ResourceRow& row = plan_.addresses[resource];
    number = number_of({plan_.addresses[row.module].path(), row.resource});
  }
  return *number;
}

std::uint32_t OrderNodes::number_of(const addrs::ConfigResource& resource) {
  const auto [found, is_new] =
      by_address_.try_emplace(resource.to_string(), static_cast<std::uint32_t>(resources.size()));
  if (is_new) resources.push_back({resource, resource_row(program_, resource)});
  return found->second;
}

}  // namespace tofu::engine
