#include "engine/target_index.h"

#include <utility>

#include "base/overloaded.h"

namespace tofu::engine {

TargetIndex::TargetIndex(const std::vector<addrs::Target>& targets) : empty_(targets.empty()) {
  for (const addrs::Target& target : targets) {
    std::visit(base::Overloaded{
                   [&](const addrs::ModuleInstance& module) {
                     modules_.insert(module.to_string());
                     touched_modules_.insert(module.path().to_string());
                   },
                   [&](const addrs::AbsResource& resource) {
                     resources_.insert(resource.to_string());
                     touched_resources_.insert(addrs::config_of(resource).to_string());
                   },
                   [&](const addrs::AbsResourceInstance& instance) {
                     const addrs::AbsResource resource = addrs::resource_of(instance);
                     instances_[resource.to_string()].insert(instance.object.key);
                     touched_resources_.insert(addrs::config_of(resource).to_string());
                   },
               },
               target);
  }
}

// A target that is a module contains what begins with it to the letter, but without a
// key at its end it stands for all instances of the call.
bool TargetIndex::has_module_of(const addrs::ModuleInstance& module) const {
  if (modules_.empty()) return false;
  addrs::ModuleInstance outer = module;
  while (!outer.is_root()) {
    if (modules_.contains(outer.to_string())) return true;
    if (!outer.steps.back().key.is_none()) {
      outer.steps.back().key = {};
      if (modules_.contains(outer.to_string())) return true;
    }
    outer.steps.pop_back();
  }
  return modules_.contains(std::string());
}

InstanceFilter TargetIndex::instances_of(const addrs::AbsResource& resource) const {
  const std::string text = resource.to_string();
  if (resources_.contains(text) || has_module_of(resource.module)) return InstanceFilter::all();
  const auto keys = instances_.find(text);
  return InstanceFilter::only(keys == instances_.end() ? std::set<addrs::InstanceKey>()
                                                       : keys->second);
}

bool TargetIndex::contains(const addrs::AbsResourceInstance& instance) const {
  if (empty_) return false;
  return instances_of(addrs::resource_of(instance)).includes(instance.object.key);
}

bool TargetIndex::contains_all(const addrs::ConfigResource& resource) const {
  // Exactly the targets without any key contain what has no keys yet.
  if (resources_.contains(resource.to_string())) return true;
  for (addrs::ModulePath outer = resource.module;; outer = outer.parent()) {
    if (modules_.contains(outer.to_string())) return true;
    if (outer.is_root()) return false;
  }
}

bool TargetIndex::touches(const addrs::ConfigResource& resource) const {
  if (touched_resources_.contains(resource.to_string())) return true;
  for (addrs::ModulePath outer = resource.module;; outer = outer.parent()) {
    if (touched_modules_.contains(outer.to_string())) return true;
    if (outer.is_root()) return false;
  }
}

}  // namespace tofu::engine
