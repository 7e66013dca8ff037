#include "commands/state_move.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

#include "base/overloaded.h"
#include "state/move.h"

namespace tofu::commands {

namespace {

using Moves = std::optional<std::vector<StateMove>>;

std::nullopt_t refuse(diag::Diagnostics& diags, const addrs::Target& from, const addrs::Target& to,
                      std::string_view why) {
  diags.error("Cannot move")
      .detail(fmt::format("Cannot move {} to {}: {}.", addrs::to_string(from), addrs::to_string(to),
                          why));
  return std::nullopt;
}

std::set<addrs::ModuleInstance> modules_of(const state::State& state) {
  std::set<addrs::ModuleInstance> modules;
  for (const state::Resource* resource : state.resources()) {
    modules.insert(resource->address().module);
  }
  return modules;
}

// `path` with its first steps, those of `from`, replaced by `to`.
addrs::ModuleInstance moved(const addrs::ModuleInstance& path, const addrs::ModuleInstance& from,
                            const addrs::ModuleInstance& to) {
  addrs::ModuleInstance result = to;
  result.steps.insert(result.steps.end(),
                      path.steps.begin() + static_cast<std::ptrdiff_t>(from.steps.size()),
                      path.steps.end());
  return result;
}

bool begins_with(const addrs::ModuleInstance& path, const addrs::ModuleInstance& start) {
  return path.steps.size() >= start.steps.size() &&
         std::equal(start.steps.begin(), start.steps.end(), path.steps.begin());
}

Moves plan_module(const state::State& source, const state::State& destination,
                  const addrs::ModuleInstance& from, const addrs::Target& to,
                  diag::Diagnostics& diags) {
  const auto* target = std::get_if<addrs::ModuleInstance>(&to);
  if (target == nullptr)
    return refuse(diags, from, to, "a module can only be moved to a module address");
  const auto taken = modules_of(destination);
  std::vector<StateMove> moves;
  for (const addrs::ModuleInstance& module : modules_of(source)) {
    if (!begins_with(module, from)) continue;
    addrs::ModuleInstance place = moved(module, from, *target);
    if (taken.contains(place))
      return refuse(diags, module, place, "the destination module already exists");
    moves.push_back({module, std::move(place)});
  }
  if (moves.empty()) return refuse(diags, from, to, "the module is not in the state");
  return moves;
}

bool check_kind(const addrs::Target& from, const addrs::Target& to, const addrs::Resource& before,
                const addrs::Resource& after, diag::Diagnostics& diags) {
  if (before.mode == addrs::ResourceMode::Ephemeral ||
      after.mode == addrs::ResourceMode::Ephemeral) {
    refuse(diags, from, to, "ephemeral resources are not stored in the state");
  } else if (before.mode != after.mode) {
    refuse(diags, from, to, "only one of them is a data source");
  } else if (before.type != after.type) {
    refuse(diags, from, to, "their resource types differ");
  } else {
    return true;
  }
  return false;
}

Moves plan_instance(const state::State& source, const state::State& destination,
                    const addrs::AbsResourceInstance& from, const addrs::Target& to,
                    diag::Diagnostics& diags) {
  std::optional<addrs::AbsResourceInstance> place;
  if (const auto* instance = std::get_if<addrs::AbsResourceInstance>(&to)) place = *instance;
  if (const auto* resource = std::get_if<addrs::AbsResource>(&to)) {
    place = addrs::instance_of(*resource, {});
  }
  if (!place)
    return refuse(diags, from, to, "an instance can only be moved to an instance address");
  if (!check_kind(from, to, from.object.resource, place->object.resource, diags)) {
    return std::nullopt;
  }
  if (source.instance(from) == nullptr) return refuse(diags, from, to, "it is not in the state");
  if (destination.instance(*place) != nullptr) {
    return refuse(diags, from, to, "the destination instance already exists");
  }
  return std::vector{StateMove{from, std::move(*place)}};
}

Moves plan_resource(const state::State& source, const state::State& destination,
                    const addrs::AbsResource& from, const addrs::Target& to,
                    diag::Diagnostics& diags) {
  const state::Resource* resource = source.resource(from);
  if (resource == nullptr) return refuse(diags, from, to, "it is not in the state");
  // Without keys the resource and its instance have the same address.
  if (resource->find({}) != nullptr) {
    return plan_instance(source, destination, addrs::instance_of(from, {}), to, diags);
  }
  const auto* place = std::get_if<addrs::AbsResource>(&to);
  if (place == nullptr) {
    return refuse(diags, from, to, "a resource can only be moved to a resource address");
  }
  if (!check_kind(from, to, from.object, place->object, diags)) return std::nullopt;
  if (destination.resource(*place) != nullptr) {
    return refuse(diags, from, to, "the destination resource already exists");
  }
  return std::vector{StateMove{from, *place}};
}

// Dependencies name what was moved by its old address.
void forget_dependencies(state::State& state, const addrs::Target& moved_from) {
  for (const state::Resource* resource : state.resources()) {
    std::vector<std::pair<addrs::InstanceKey, state::Object>> changed;
    resource->for_each([&](const state::Instance& instance) {
      if (instance.current() == nullptr) return;
      const auto dependencies = instance.current()->dependencies();
      const bool affected = std::ranges::any_of(dependencies, [&](const addrs::ConfigResource&
                                                                      dependency) {
        const addrs::AbsResource whole{addrs::without_keys(dependency.module), dependency.object};
        return addrs::target_contains(whole, moved_from) ||
               addrs::target_contains(moved_from, addrs::Target(whole));
      });
      if (affected) changed.emplace_back(instance.key(), instance.current()->with_dependencies({}));
    });
    if (changed.empty()) continue;
    state::Resource* writable = state.change(addrs::AbsResource(resource->address()));
    for (auto& [key, object] : changed) writable->set_object(key, "", std::move(object));
  }
}

}  // namespace

diag::Checked<std::vector<StateMove>> plan_moves(const state::State& source,
                                                 const state::State& destination,
                                                 const addrs::Target& from, const addrs::Target& to,
                                                 diag::Diagnostics& diags) {
  return std::visit(base::Overloaded{
                        [&](const addrs::ModuleInstance& module) {
                          return plan_module(source, destination, module, to, diags);
                        },
                        [&](const addrs::AbsResource& resource) {
                          return plan_resource(source, destination, resource, to, diags);
                        },
                        [&](const addrs::AbsResourceInstance& instance) {
                          return plan_instance(source, destination, instance, to, diags);
                        },
                    },
                    from);
}

void make_move(state::State& source, state::State& destination, const StateMove& move) {
  std::visit(
      base::Overloaded{
          [&](const addrs::ModuleInstance& module) {
            const auto& place = std::get<addrs::ModuleInstance>(move.to);
            std::vector<addrs::Resource> inside;
            for (const state::Resource* resource : source.resources()) {
              if (resource->address().module == module) {
                inside.push_back(resource->address().object);
              }
            }
            for (const addrs::Resource& resource : inside) {
              state::move_resource(source, destination, {module, resource}, {place, resource});
            }
          },
          [&](const addrs::AbsResource& resource) {
            state::move_resource(source, destination, resource,
                                 std::get<addrs::AbsResource>(move.to));
          },
          [&](const addrs::AbsResourceInstance& instance) {
            state::move_instance(source, destination, instance,
                                 std::get<addrs::AbsResourceInstance>(move.to));
          },
      },
      move.from);
  forget_dependencies(destination, move.from);
}

}  // namespace tofu::commands
