#include "engine/check_results.h"

#include <algorithm>
#include <utility>

#include "config/module.h"

namespace tofu::engine {

namespace {

using plans::CheckStatus;

// The worse of two: what an object is whose parts are these.
CheckStatus worse(CheckStatus a, CheckStatus b) {
  const auto rank = [](CheckStatus status) {
    switch (status) {
      case CheckStatus::Pass: return 0;
      case CheckStatus::Unknown: return 1;
      case CheckStatus::Fail: return 2;
      case CheckStatus::Error: return 3;
    }
    return 0;
  };
  return rank(a) >= rank(b) ? a : b;
}

}  // namespace

CheckResults::CheckResults(const config::Tree& tree) {
  const auto add = [&](addrs::ConfigCheckable address) {
    std::string text = addrs::to_string(address);
    entries_.emplace(std::move(text), Entry{std::move(address), false, {}});
  };
  for (const config::TreeNode& node : tree.nodes) {
    const config::Module& module = *node.module;
    for (const auto* resources :
         {&module.managed_resources, &module.data_resources, &module.ephemeral_resources}) {
      for (const config::Resource& resource : *resources) {
        if (resource.preconditions.empty() && resource.postconditions.empty()) continue;
        add(addrs::ConfigResource{node.path, resource.address()});
      }
    }
    for (const config::Output& output : module.outputs) {
      if (!output.preconditions.empty()) add(addrs::ConfigOutputValue{node.path, {output.name}});
    }
    for (const config::Check& check : module.checks)
      add(addrs::ConfigCheck{node.path, {check.name}});
    for (const config::Variable& variable : module.variables) {
      if (!variable.validations.empty()) {
        add(addrs::ConfigInputVariable{node.path, {variable.name}});
      }
    }
  }
}

plans::CheckedInstance& CheckResults::instance(const addrs::Checkable& address) {
  const addrs::ConfigCheckable object = addrs::config_of(address);
  Entry& entry =
      entries_.try_emplace(addrs::to_string(object), Entry{object, false, {}}).first->second;
  Entry::Instance& found = entry.instances[addrs::to_string(address)];
  if (!found.is_evaluated) found = {{address, CheckStatus::Pass, {}}, true};
  return found.result;
}

void CheckResults::plan(const std::vector<plans::CheckedObject>& objects) {
  const std::lock_guard lock(mutex_);
  for (const plans::CheckedObject& object : objects) {
    const auto entry = entries_.find(addrs::to_string(object.address));
    if (entry == entries_.end()) continue;
    // Of an object that has no instances it was found out that it passes.
    if (object.status == CheckStatus::Pass) entry->second.is_expanded = true;
    for (const plans::CheckedInstance& one : object.instances) {
      entry->second.instances[addrs::to_string(one.address)] = {
          {one.address, CheckStatus::Unknown, {}}, false};
    }
  }
}

void CheckResults::expect(const addrs::Checkable& address) {
  const std::lock_guard lock(mutex_);
  (void)instance(address);
}

void CheckResults::expanded(const addrs::ConfigCheckable& address) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(addrs::to_string(address));
  if (found != entries_.end()) found->second.is_expanded = true;
}

void CheckResults::report(const addrs::Checkable& address, CheckStatus status,
                          const std::string& message) {
  const std::lock_guard lock(mutex_);
  plans::CheckedInstance& one = instance(address);
  one.status = worse(one.status, status);
  if (status == CheckStatus::Fail && !message.empty()) one.problems.push_back(message);
}

bool CheckResults::is_failing(const addrs::Checkable& address) const {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(addrs::to_string(addrs::config_of(address)));
  if (entry == entries_.end()) return false;
  const auto found = entry->second.instances.find(addrs::to_string(address));
  if (found == entry->second.instances.end()) return false;
  const CheckStatus status = found->second.result.status;
  return status == CheckStatus::Fail || status == CheckStatus::Error;
}

std::vector<plans::CheckedObject> CheckResults::results() const {
  const std::lock_guard lock(mutex_);
  std::vector<plans::CheckedObject> made;
  for (const auto& [text, entry] : entries_) {
    plans::CheckedObject object{entry.address, CheckStatus::Pass, {}};
    if (!entry.is_expanded && entry.instances.empty()) object.status = CheckStatus::Unknown;
    for (const auto& [instance_text, one] : entry.instances) {
      object.status = worse(object.status, one.result.status);
      object.instances.push_back(one.result);
    }
    made.push_back(std::move(object));
  }
  return made;
}

}  // namespace tofu::engine
