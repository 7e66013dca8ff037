// A resource of the state with its instances.
//
// An instance has a current object, deposed ones, or both. Instances are found by
// hash and listed in the order of state files: no key, numbers, strings.
//
// Promise: an instance in a resource has at least one object. A resource may have no instances: a
// resource with `count = 0` leaves one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/instance_key.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "state/object.h"
#include "state/row_index.h"

namespace tofu::state {

class Instance {
 public:
  explicit Instance(addrs::InstanceKey key) : key_(std::move(key)) {}

  const addrs::InstanceKey& key() const { return key_; }
  const Object* current() const { return current_ ? &current_ : nullptr; }
  // By their keys of eight hexadecimal digits, in order.
  const std::map<std::string, Object>& deposed() const;
  // Null if there is none; an empty key means the current object.
  const Object* object(const std::string& deposed_key) const;
  // Which instance of the provider's configuration looks after it.
  const addrs::InstanceKey& provider_key() const;

  bool operator==(const Instance& other) const;

 private:
  friend class Resource;
  struct Rare {
    addrs::InstanceKey provider_key;
    std::map<std::string, Object> deposed;
  };
  Rare& rare();

  addrs::InstanceKey key_;
  Object current_;
  // Shared by copies of the instance in snapshots; nothing for most instances.
  std::shared_ptr<const Rare> rare_;
};

class Resource {
 public:
  Resource(addrs::AbsResource address, std::shared_ptr<const addrs::AbsProviderConfig> provider);

  const addrs::AbsResource& address() const { return address_; }
  const std::string& module_text() const { return module_text_; }  // "" for the root
  // False only while a state file is read, before its entry named one.
  bool has_provider() const { return provider_ != nullptr; }
  const addrs::AbsProviderConfig& provider() const { return *provider_; }
  addrs::AbsProviderInstance provider_of(const Instance& instance) const {
    return {*provider_, instance.provider_key()};
  }

  // Members of its entry that this version does not know; see UnknownMembers.
  std::string_view unknown() const {
    return unknown_ ? std::string_view(*unknown_) : std::string_view();
  }
  void set_unknown(std::string members) {
    unknown_ = std::make_shared<const std::string>(std::move(members));
  }

  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty(); }
  const Instance* find(const addrs::InstanceKey& key) const;
  // In the order of state files. No copy if they were added in that order.
  template <class On>
  void for_each(On&& on) const {
    if (sorted_) {
      for (const Instance& instance : rows_) on(instance);
    } else {
      for (const std::uint32_t row : order()) on(rows_[row]);
    }
  }
  // Whether some instance has its own instance of the provider's configuration.
  bool has_provider_keys() const;

  // An empty object removes the existing one. An empty `deposed_key` means the current object.
  void set_object(const addrs::InstanceKey& key, const std::string& deposed_key, Object object);
  // Of all instances. A configuration without alias has no instances of its own, and no state
  // file could say which one an object belongs to: then instances lose their provider keys.
  void set_provider(std::shared_ptr<const addrs::AbsProviderConfig> provider);
  void set_provider_key(const addrs::InstanceKey& key, addrs::InstanceKey provider_key);
  // The whole instance as it is in `from`, under another key perhaps.
  void put(addrs::InstanceKey key, const Instance& from);
  void remove(const addrs::InstanceKey& key);

  bool operator==(const Resource& other) const;

 private:
  std::vector<std::uint32_t> order() const;
  std::uint32_t row_of(const addrs::InstanceKey& key);  // added if it is not there
  void remove_row(std::uint32_t row);

  addrs::AbsResource address_;
  std::string module_text_;
  // Shared: thousands of resources have the same one.
  std::shared_ptr<const addrs::AbsProviderConfig> provider_;
  std::shared_ptr<const std::string> unknown_;  // shared by snapshots; nothing for most resources
  std::vector<Instance> rows_;
  RowIndex index_;
  bool sorted_ = true;
};

std::uint64_t hash_of(const addrs::InstanceKey& key);
std::uint64_t hash_of(const addrs::AbsResource& address);

}  // namespace tofu::state
