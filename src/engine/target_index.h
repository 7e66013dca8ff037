// A list of targets, made to be asked about many addresses.
//
// Says the same as addrs::target_contains() with each target, in a time that does not
// grow with their number.
#pragma once

#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/parse.h"

namespace tofu::engine {

// Some of a resource's instances.
class InstanceFilter {
 public:
  static InstanceFilter all() { return InstanceFilter(true, {}); }
  static InstanceFilter only(std::set<addrs::InstanceKey> keys) {
    return InstanceFilter(false, std::move(keys));
  }
  static InstanceFilter all_but(std::set<addrs::InstanceKey> keys) {
    return InstanceFilter(true, std::move(keys));
  }

  bool includes(const addrs::InstanceKey& key) const { return keys_.contains(key) != rest_; }
  bool is_all() const { return rest_ && keys_.empty(); }
  bool is_none() const { return !rest_ && keys_.empty(); }
  InstanceFilter inverted() const { return InstanceFilter(!rest_, keys_); }

 private:
  InstanceFilter(bool rest, std::set<addrs::InstanceKey> keys)
      : rest_(rest), keys_(std::move(keys)) {}

  bool rest_;  // whether keys that are not in `keys_` are included, or else those that are
  std::set<addrs::InstanceKey> keys_;
};

class TargetIndex {
 public:
  explicit TargetIndex(const std::vector<addrs::Target>& targets);

  bool empty() const { return empty_; }

  // The instances of the resource that some target contains.
  InstanceFilter instances_of(const addrs::AbsResource& resource) const;
  bool contains(const addrs::AbsResourceInstance& instance) const;
  // Whether a target contains all instances, in all instances of the module.
  bool contains_all(const addrs::ConfigResource& resource) const;
  // Whether a target is about any of its instances, or may be.
  bool touches(const addrs::ConfigResource& resource) const;

 private:
  bool has_module_of(const addrs::ModuleInstance& module) const;

  bool empty_;
  std::unordered_set<std::string> modules_;  // instances; without a key at its end: the call
  std::unordered_set<std::string> resources_;
  std::unordered_map<std::string, std::set<addrs::InstanceKey>> instances_;  // by resource
  std::unordered_set<std::string> touched_modules_;                          // without keys
  std::unordered_set<std::string> touched_resources_;
};

}  // namespace tofu::engine
