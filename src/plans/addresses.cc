#include "plans/addresses.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace tofu::plans {

namespace {

// The row of `key`; `add` makes it if it is a new one.
template <class Add>
std::uint32_t row_of(std::unordered_map<std::string, std::uint32_t>& rows, std::string key,
                     std::size_t next, Add&& add) {
  const auto [at, is_new] = rows.emplace(std::move(key), static_cast<std::uint32_t>(next));
  if (is_new) add();
  return at->second;
}

}  // namespace

Addresses::Addresses() { module({}); }

ModuleId Addresses::module(const addrs::ModuleInstance& module) {
  return {row_of(module_rows_, module.to_string(), modules_.size(),
                 [&] { modules_.push_back(module); })};
}

ResourceId Addresses::resource(ModuleId module, const addrs::Resource& resource,
                               const addrs::Provider& provider) {
  // An object that is left of another provider's resource of the same name
  // follows that provider's schema, so the provider is part of the key.
  // None of the parts has a space in it.
  std::string key = std::to_string(module.index);
  for (const std::string* part :
       {&resource.type, &resource.name, &provider.host.ascii, &provider.space, &provider.type}) {
    key.append(1, ' ').append(*part);
  }
  key.push_back(static_cast<char>('0' + static_cast<int>(resource.mode)));
  return {row_of(resource_rows_, std::move(key), resources_.size(), [&] {
    resources_.push_back({module, resource, provider});
  })};
}

ProviderId Addresses::provider(const addrs::AbsProviderInstance& config) {
  return {row_of(provider_rows_, config.to_string(), providers_.size(),
                 [&] { providers_.push_back(config); })};
}

addrs::AbsResourceInstance Addresses::instance(ResourceId id, const addrs::InstanceKey& key) const {
  const ResourceRow& row = (*this)[id];
  return {(*this)[row.module], {row.resource, key}};
}

std::vector<std::uint32_t> Addresses::resource_ranks() const {
  std::vector<std::uint32_t> order(resources_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const ResourceRow& x = resources_[a];
    const ResourceRow& y = resources_[b];
    if (x.module != y.module) return modules_[x.module.index] < modules_[y.module.index];
    return std::tie(x.resource, x.provider) < std::tie(y.resource, y.provider);
  });
  std::vector<std::uint32_t> ranks(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) ranks[order[i]] = i;
  return ranks;
}

}  // namespace tofu::plans
