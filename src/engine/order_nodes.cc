#include "engine/order_nodes.h"

#include <algorithm>
#include <utility>

#include "engine/program_rows.h"

namespace tofu::engine {

namespace {

using plans::Action;

// Whether the row of the resource has to do something about the instance.
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

}  // namespace

bool ResourceNodes::has_first() const {
  return std::ranges::any_of(destroys, [](const Destroys& d) { return !d.first.changes.empty(); });
}

bool ResourceNodes::has_last() const {
  return std::ranges::any_of(destroys, [](const Destroys& d) { return !d.last.changes.empty(); });
}

OrderNodes::OrderNodes(const eval::Program& program, const plans::Plan& plan,
                       const state::State& prior)
    : program_(program), plan_(plan), prior_(prior) {
  const bool has_deposed = std::ranges::any_of(
      plan.changes, [](const plans::ResourceChange& change) { return !change.deposed().empty(); });
  for (const plans::ResourceChange& change : plan.changes) {
    if (!has_deposed) break;
    if (change.deposed().empty() && makes(change.action)) {
      made_.emplace(change.resource.index, change.key);
    }
  }
  for (std::uint32_t i = 0; i < plan.changes.size(); ++i) add(i);
}

void OrderNodes::add(std::uint32_t position) {
  const plans::ResourceChange& change = plan_.changes[position];
  if (change.action == Action::Forget) return forgets.push_back(position);
  if (change.action == Action::NoOp) return;
  const plans::ResourceRow& row = plan_.addresses[change.resource];
  const std::uint32_t resource =
      number_of({plan_.addresses[row.module].path(), row.resource});
  if (makes(change.action)) add_making(change, resource);
  if (destroys(change.action)) add_destroying(change, position, resource);
}

void OrderNodes::add_making(const plans::ResourceChange& change, std::uint32_t resource) {
  const state::Object* object =
      prior_.object(plan_.addresses.instance(change.resource, change.key));
  resources[resource].makes = true;
  resources[resource].provider = plan_.addresses[change.provider].config.to_string();
  if (object == nullptr) {
    resources[resource].makes_more = true;
    return;
  }
  const std::set<std::uint32_t> needs = numbers_of(*object);
  resources[resource].needs.insert(needs.begin(), needs.end());
}

void OrderNodes::add_destroying(const plans::ResourceChange& change, std::uint32_t position,
                                std::uint32_t resource) {
  const addrs::AbsResourceInstance address =
      plan_.addresses.instance(change.resource, change.key);
  const std::string deposed(change.deposed());
  const state::Object* current = prior_.object(address);
  const state::Object* object = current != nullptr ? current : prior_.object(address, deposed);
  std::set<std::uint32_t> needs;
  if (object != nullptr) needs = numbers_of(*object);

  Destroys& of_module = destroys_of(change, resource);
  of_module.needs.insert(needs.begin(), needs.end());
  // What goes for good goes when it would have gone if it had been replaced, as its last
  // change decided; a deposed object has its successor already.
  const bool last = !deposed.empty() || change.action == Action::CreateThenDelete ||
                    (change.action == Action::Delete && object != nullptr &&
                     object->create_before_destroy());
  Destroys::Node& node = last ? of_module.last : of_module.first;
  node.changes.push_back(position);
  node.replaces = node.replaces || plans::is_replace(change.action) ||
                  (!deposed.empty() && made_.contains({change.resource.index, change.key}));
}

Destroys& OrderNodes::destroys_of(const plans::ResourceChange& change, std::uint32_t resource) {
  std::vector<Destroys>& all = resources[resource].destroys;
  const auto [place, is_new] = places_.try_emplace(change.resource.index, all.size());
  if (is_new) {
    const addrs::AbsProviderConfig& provider = plan_.addresses[change.provider].config;
    Destroys made;
    made.module = plan_.addresses[plan_.addresses[change.resource].module];
    made.provider = provider.to_string();
    made.provider_row = provider_row(program_, provider);
    all.push_back(std::move(made));
  }
  return all[place->second];
}

const std::set<std::uint32_t>& OrderNodes::numbers_of(const state::Object& object) {
  const std::string_view text = object.dependencies_text();
  const auto known = needs_.find(text);
  if (known != needs_.end()) return known->second;
  std::set<std::uint32_t> numbers;
  for (const addrs::ConfigResource& resource : object.dependencies()) {
    numbers.insert(number_of(resource));
  }
  return needs_.emplace(text, std::move(numbers)).first->second;
}

std::uint32_t OrderNodes::number_of(const addrs::ConfigResource& resource) {
  const auto number = static_cast<std::uint32_t>(resources.size());
  const auto [found, is_new] = numbers_.try_emplace(resource.to_string(), number);
  if (is_new) {
    ResourceNodes nodes;
    nodes.address = resource;
    nodes.row = resource_row(program_, resource);
    resources.push_back(std::move(nodes));
  }
  return found->second;
}

}  // namespace tofu::engine
