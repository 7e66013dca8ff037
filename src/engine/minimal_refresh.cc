#include "engine/minimal_refresh.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "engine/relevance.h"

namespace tofu::engine {

namespace {

// Whether `used` can stand for `module`: a call without a key stands for each of its instances.
bool may_be(const addrs::ModuleInstance& used, const addrs::ModuleInstance& module) {
  return std::ranges::equal(used.steps, module.steps, [](const auto& a, const auto& b) {
    return a.name == b.name && (a.key.is_none() || a.key == b.key);
  });
}

}  // namespace

void MinimalRefresh::note_changing(const addrs::AbsResourceInstance& address) {
  const std::lock_guard lock(mutex_);
  changing_.insert(address);
}

std::optional<LiveObject> MinimalRefresh::object(const addrs::AbsResourceInstance& address,
                                                 diag::Diagnostics& diags) const {
  const std::lock_guard lock(mutex_);
  const auto found = objects_.find(address);
  if (found == objects_.end()) return std::nullopt;
  diags.take(diag::Diagnostics(found->second.warnings));
  return found->second.object;
}

void MinimalRefresh::keep_object(const addrs::AbsResourceInstance& address,
                                 const LiveObject& object, const diag::Diagnostics& warnings) {
  const std::lock_guard lock(mutex_);
  objects_.insert_or_assign(address, ReadObject{object, warnings});
}

std::optional<value::Value> MinimalRefresh::data(const addrs::AbsResourceInstance& address,
                                                 const value::Value& arguments,
                                                 diag::Diagnostics& diags) const {
  const std::lock_guard lock(mutex_);
  const auto found = data_.find(address);
  if (found == data_.end() || !value::raw_equal(found->second.arguments, arguments)) {
    return std::nullopt;
  }
  diags.take(diag::Diagnostics(found->second.warnings));
  return found->second.result;
}

void MinimalRefresh::keep_data(const addrs::AbsResourceInstance& address,
                               const value::Value& arguments, const value::Value& result,
                               const diag::Diagnostics& warnings) {
  const std::lock_guard lock(mutex_);
  data_.insert_or_assign(address, ReadData{arguments, result, warnings});
}

std::optional<LiveObject> MinimalRefresh::stored(const addrs::AbsResourceInstance& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = stored_.find(address);
  if (found == stored_.end()) return std::nullopt;
  return found->second;
}

void MinimalRefresh::keep_stored(const addrs::AbsResourceInstance& address,
                                 const LiveObject& object) {
  const std::lock_guard lock(mutex_);
  stored_.insert_or_assign(address, object);
}

std::optional<Change> MinimalRefresh::unchanged(const addrs::AbsResourceInstance& address,
                                                const value::Value& arguments) const {
  const std::lock_guard lock(mutex_);
  const auto found = unchanged_.find(address);
  if (found == unchanged_.end() || !value::raw_equal(found->second.arguments, arguments)) {
    return std::nullopt;
  }
  return found->second.change;
}

void MinimalRefresh::keep_unchanged(const addrs::AbsResourceInstance& address,
                                    const value::Value& arguments, const Change& change) {
  const std::lock_guard lock(mutex_);
  unchanged_.insert_or_assign(address, Unchanged{arguments, change});
}

void MinimalRefresh::begin_round() {
  unread_ = 0;
  changing_.clear();
}

bool MinimalRefresh::extend(const eval::Program& program, const state::State& state) {
  const std::size_t before = wanted_.size();
  std::set<addrs::AbsResource> blocks;
  for (const addrs::AbsResourceInstance& address : changing_) {
    blocks.insert(addrs::resource_of(address));
    if (state.object(address) != nullptr) wanted_.insert(address);
  }
  const auto used = objects_used_by(program, blocks);
  if (used.empty()) return wanted_.size() != before;
  std::unordered_map<std::string, std::vector<const state::Resource*>> stored;
  for (const state::Resource* resource : state.resources()) {
    if (resource->address().object.mode != addrs::ResourceMode::Managed) continue;
    stored[addrs::config_of(resource->address()).to_string()].push_back(resource);
  }
  for (const addrs::AbsResourceInstance& one : used) {
    const auto found = stored.find(addrs::config_of(one).to_string());
    if (found == stored.end()) continue;
    const addrs::InstanceKey& key = one.object.key;
    for (const state::Resource* resource : found->second) {
      if (!may_be(one.module, resource->address().module)) continue;
      resource->for_each([&](const state::Instance& instance) {
        if (instance.current() == nullptr || (!key.is_none() && key != instance.key())) return;
        wanted_.insert(addrs::instance_of(resource->address(), instance.key()));
      });
    }
  }
  return wanted_.size() != before;
}

}  // namespace tofu::engine
