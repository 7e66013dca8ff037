#include <functional>
#include <string>
#include <unordered_map>
#include <utility>

#include "engine/targets.h"

namespace tofu::engine {

namespace {

using Instances = std::vector<addrs::AbsResourceInstance>;
using InstanceSet = std::unordered_set<addrs::AbsResourceInstance, InstanceHash>;

// Names a set of instances: those of a resource, in all instances of its module or in
// the given one.
std::string set_name(const addrs::ConfigResource& resource, const addrs::ModuleInstance* in) {
  if (in == nullptr) return resource.to_string();
  return in->to_string() + "/" + resource.object.to_string();
}

// Between resources of one module, dependencies hold within each of its instances.
std::string dependency_name(const addrs::AbsResourceInstance& dependent,
                            const addrs::ConfigResource& dependency) {
  const bool same = dependent.module.is_instance_of(dependency.module);
  return set_name(dependency, same ? &dependent.module : nullptr);
}

// Instances by the sets they belong to. Each set is taken once: whoever needs it after
// that finds its members in the result already, so that n instances that depend on m
// cost n + m steps.
class InstanceSets {
 public:
  void add(std::string name, const addrs::AbsResourceInstance& instance) {
    sets_[std::move(name)].push_back(instance);
  }

  // Adds all members of the sets that `names_of` an instance gives, of those in `start`
  // and then of what was added.
  void follow(
      Instances start,
      const std::function<std::vector<std::string>(const addrs::AbsResourceInstance&)>& names_of,
      InstanceSet& found) {
    while (!start.empty()) {
      const addrs::AbsResourceInstance at = std::move(start.back());
      start.pop_back();
      for (const std::string& name : names_of(at)) {
        const auto members = sets_.extract(name);
        if (members.empty()) continue;
        for (addrs::AbsResourceInstance& each : members.mapped()) {
          if (found.insert(each).second) start.push_back(std::move(each));
        }
      }
    }
  }

 private:
  std::unordered_map<std::string, Instances> sets_;
};

template <class On>
void for_each_current(const state::State& state, On&& on) {
  for (const state::Resource* resource : state.resources()) {
    resource->for_each([&](const state::Instance& instance) {
      if (const state::Object* object = instance.current()) {
        on(addrs::instance_of(resource->address(), instance.key()), *object);
      }
    });
  }
}

// What depends on the targets.
InstanceSet take_along(const state::State& state, const TargetIndex& targets) {
  InstanceSets dependents;  // by what they depend on
  Instances start;
  for_each_current(state, [&](addrs::AbsResourceInstance instance, const state::Object& object) {
    for (const addrs::ConfigResource& dependency : object.dependencies()) {
      dependents.add(dependency_name(instance, dependency), instance);
    }
    if (targets.contains(instance)) start.push_back(std::move(instance));
  });
  InstanceSet found;
  dependents.follow(
      std::move(start),
      [](const addrs::AbsResourceInstance& at) {
        const addrs::ConfigResource resource = addrs::config_of(at);
        return std::vector{set_name(resource, nullptr), set_name(resource, &at.module)};
      },
      found);
  return found;
}

// What the excluded depend on.
InstanceSet keep(const state::State& state, const TargetIndex& excludes) {
  InstanceSets instances;
  Instances start;
  for_each_current(state, [&](addrs::AbsResourceInstance instance, const state::Object&) {
    const addrs::ConfigResource resource = addrs::config_of(instance);
    instances.add(set_name(resource, nullptr), instance);
    instances.add(set_name(resource, &instance.module), instance);
    if (excludes.contains(instance)) start.push_back(std::move(instance));
  });
  InstanceSet found;
  instances.follow(
      std::move(start),
      [&](const addrs::AbsResourceInstance& at) {
        std::vector<std::string> names;
        for (const addrs::ConfigResource& dependency : state.object(at)->dependencies()) {
          names.push_back(dependency_name(at, dependency));
        }
        return names;
      },
      found);
  return found;
}

}  // namespace

DestroyTargeting::DestroyTargeting(const state::State& state, const TargetOptions& options)
    : everything_(!options.any()), targets_(options.targets), excludes_(options.excludes) {
  if (everything_) return;
  more_ = targets_.empty() ? keep(state, excludes_) : take_along(state, targets_);
}

bool DestroyTargeting::has(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  if (!targets_.empty()) return targets_.contains(instance) || more_.contains(instance);
  return !excludes_.contains(instance) && !more_.contains(instance);
}

bool DestroyTargeting::has_deposed(const addrs::AbsResourceInstance& instance) const {
  if (everything_) return true;
  return targets_.empty() ? !excludes_.contains(instance) : targets_.contains(instance);
}

}  // namespace tofu::engine
