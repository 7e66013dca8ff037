#include "plans/addresses.h"

#include <algorithm>
#include <compare>
#include <functional>
#include <map>
#include <numeric>
#include <string_view>
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

// A number that sorts as the first bytes of the text do.
std::uint64_t first_bytes(std::string_view text) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) {
    number = number << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
  }
  return number;
}

// The place of each of `count` things once they are sorted.
template <class Less>
std::vector<std::uint32_t> ranks(std::size_t count, Less less) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, less);
  std::vector<std::uint32_t> places(count);
  for (std::uint32_t i = 0; i < count; ++i) places[order[i]] = i;
  return places;
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

void Addresses::expect_resources(std::size_t count) {
  resources_.reserve(count);
  resource_rows_.reserve(count);
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
  std::map<std::pair<addrs::ResourceMode, std::string_view>, std::uint32_t> types;
  for (const ResourceRow& row : resources_) types[{row.resource.mode, row.resource.type}] = 0;
  std::uint32_t next = 0;
  for (auto& [type, rank] : types) rank = next++;
  const std::vector<std::uint32_t> modules =
      ranks(modules_.size(), [&](auto a, auto b) { return modules_[a] < modules_[b]; });

  // Numbers, but for names that begin alike: there may be many thousands to sort.
  struct Place {
    std::uint32_t module;
    std::uint32_t type;
    std::uint64_t name_begin;
    auto operator<=>(const Place&) const = default;
  };
  std::vector<Place> places;
  places.reserve(resources_.size());
  for (const ResourceRow& row : resources_) {
    places.push_back({modules[row.module.index], types[{row.resource.mode, row.resource.type}],
                      first_bytes(row.resource.name)});
  }
  return ranks(resources_.size(), [&](auto a, auto b) {
    if (const auto order = places[a] <=> places[b]; order != 0) return order < 0;
    const ResourceRow& x = resources_[a];
    const ResourceRow& y = resources_[b];
    return std::tie(x.resource.name, x.provider) < std::tie(y.resource.name, y.provider);
  });
}

}  // namespace tofu::plans
