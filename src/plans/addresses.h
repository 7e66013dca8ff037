// The addresses that occur in a plan, each written down once.
//
// A plan of a million instances names few resources and modules; a change holds
// the number of its resource and its own key. Rows are only added, so an id
// stays good for as long as the table lives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "addrs/module.h"
#include "addrs/provider.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"

namespace tofu::plans {

struct ModuleId {
  std::uint32_t index = 0;  // 0 is the root
  auto operator<=>(const ModuleId&) const = default;
};
struct ResourceId {
  std::uint32_t index = 0;
  auto operator<=>(const ResourceId&) const = default;
};
struct ProviderId {
  std::uint32_t index = 0;
  auto operator<=>(const ProviderId&) const = default;
};

// A resource of one module instance: all its instances together.
struct ResourceRow {
  ModuleId module;
  addrs::Resource resource;
  // Whose schema its objects follow. An object that is left of another provider's resource of
  // the same name follows that provider's schema, and has a row of its own.
  addrs::Provider provider;

  bool operator==(const ResourceRow&) const = default;
};

class Addresses {
 public:
  Addresses();

  // The row of this address, made if there is none yet.
  ModuleId module(const addrs::ModuleInstance& module);
  ResourceId resource(ModuleId module, addrs::Resource resource, addrs::Provider provider);
  ProviderId provider(const addrs::AbsProviderInstance& config);

  // Reserves memory for about so many resources.
  void expect_resources(std::size_t count);

  const addrs::ModuleInstance& operator[](ModuleId id) const { return modules_[id.index]; }
  const ResourceRow& operator[](ResourceId id) const { return resources_[id.index]; }
  const addrs::AbsProviderInstance& operator[](ProviderId id) const { return providers_[id.index]; }

  std::size_t module_count() const { return modules_.size(); }
  std::size_t resource_count() const { return resources_.size(); }
  std::size_t provider_count() const { return providers_.size(); }

  addrs::AbsResourceInstance instance(ResourceId id, const addrs::InstanceKey& key) const;

  // The place of each resource, by id, in the order in which people are shown
  // them: modules by length and name, then mode, type and name.
  std::vector<std::uint32_t> resource_ranks() const;

 private:
  std::vector<addrs::ModuleInstance> modules_;
  std::vector<ResourceRow> resources_;
  std::vector<addrs::AbsProviderInstance> providers_;
  // By text.
  std::unordered_map<std::string, std::uint32_t> module_rows_;
  std::unordered_map<std::string, std::uint32_t> provider_rows_;
  // By hash: resources are looked up while a plan is made, one after the other on all threads.
  std::unordered_multimap<std::size_t, std::uint32_t> resource_rows_;
};

}  // namespace tofu::plans
