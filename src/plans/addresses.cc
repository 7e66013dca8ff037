#include "plans/addresses.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <tuple>
#include <utility>

namespace tofu::plans {

namespace {

// The row of `key`; `add` makes it if it is a new one.
template <class Add>
std::uint32_t row_of(std::unordered_map<std::string, std::uint32_t>& rows, std::string key,
                     std::size_t next, Add&& add) {
  const auto [at, is_new] = rows.try_emplace(std::move(key), static_cast<std::uint32_t>(next));
  if (is_new) add();
  return at->second;
}

// Names tell resources apart; what else a row has makes few of them alike.
std::size_t hash_of(const ResourceRow& row) {
  const std::hash<std::string> hash;
  return (hash(row.resource.name) * 31 + hash(row.resource.type)) * 31 + row.module.index;
}

}  // namespace

Addresses::Addresses() { module({}); }

ModuleId Addresses::module(const addrs::ModuleInstance& module) {
  return {row_of(module_rows_, module.to_string(), modules_.size(),
                 [&] { modules_.push_back(module); })};
}

ResourceId Addresses::resource(ModuleId module, addrs::Resource resource,
                               addrs::Provider provider) {
  ResourceRow row{module, std::move(resource), std::move(provider)};
  const std::size_t hash = hash_of(row);
  const auto [begin, end] = resource_rows_.equal_range(hash);
  for (auto at = begin; at != end; ++at) {
    if (resources_[at->second] == row) return {at->second};
  }
  const auto next = static_cast<std::uint32_t>(resources_.size());
  resource_rows_.emplace_hint(begin, hash, next);
  resources_.push_back(std::move(row));
  return {next};
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
