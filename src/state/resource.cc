#include "state/resource.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

namespace tofu::state {

namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t hash) {
  return (seed ^ hash) * 0xFF51AFD7ED558CCDU + 0x9E3779B97F4A7C15U;
}

std::uint64_t hash_text(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

std::uint64_t hash_of(const addrs::InstanceKey& key) {
  if (const std::int64_t* number = key.number()) {
    return mix(1, static_cast<std::uint64_t>(*number));
  }
  return key.text() != nullptr ? mix(2, hash_text(*key.text())) : 3;
}

std::uint64_t hash_of(const addrs::AbsResource& address) {
  std::uint64_t hash = static_cast<std::uint64_t>(address.object.mode);
  for (const addrs::ModuleStep& step : address.module.steps) {
    hash = mix(mix(hash, hash_text(step.name)), hash_of(step.key));
  }
  return mix(mix(hash, hash_text(address.object.type)), hash_text(address.object.name));
}

const std::map<std::string, Object>& Instance::deposed() const {
  static const std::map<std::string, Object> kNone;
  return rare_ ? rare_->deposed : kNone;
}

const Object* Instance::object(const std::string& deposed_key) const {
  if (deposed_key.empty()) return current();
  const auto found = deposed().find(deposed_key);
  return found == deposed().end() ? nullptr : &found->second;
}

const addrs::InstanceKey& Instance::provider_key() const {
  static const addrs::InstanceKey kNone;
  return rare_ ? rare_->provider_key : kNone;
}

// Copied for every change: few instances have any of it.
Instance::Rare& Instance::rare() {
  auto copy = rare_ ? std::make_shared<Rare>(*rare_) : std::make_shared<Rare>();
  Rare& changed = *copy;
  rare_ = std::move(copy);
  return changed;
}

bool Instance::operator==(const Instance& other) const {
  return key_ == other.key_ && current_ == other.current_ &&
         provider_key() == other.provider_key() && deposed() == other.deposed();
}

Resource::Resource(addrs::AbsResource address,
                   std::shared_ptr<const addrs::AbsProviderConfig> provider)
    : address_(std::move(address)),
      module_text_(address_.module.to_string()),
      provider_(std::move(provider)) {}

const Instance* Resource::find(const addrs::InstanceKey& key) const {
  const auto row = index_.find(hash_of(key), rows_.size(),
                               [&](std::uint32_t at) { return rows_[at].key_ == key; });
  return row ? &rows_[*row] : nullptr;
}

bool Resource::has_provider_keys() const {
  return std::ranges::any_of(rows_, [](const Instance& instance) {
    return instance.rare_ && !instance.rare_->provider_key.is_none();
  });
}

std::vector<std::uint32_t> Resource::order() const {
  std::vector<std::uint32_t> order(rows_.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(
      order, {}, [&](std::uint32_t row) -> const addrs::InstanceKey& { return rows_[row].key_; });
  return order;
}

std::uint32_t Resource::row_of(const addrs::InstanceKey& key) {
  if (const Instance* found = find(key)) return static_cast<std::uint32_t>(found - rows_.data());
  sorted_ = sorted_ && (rows_.empty() || rows_.back().key_ < key);
  rows_.emplace_back(key);
  index_.added(rows_.size(), [&](std::uint32_t at) { return hash_of(rows_[at].key_); });
  return static_cast<std::uint32_t>(rows_.size() - 1);
}

void Resource::remove_row(std::uint32_t row) {
  index_.removing(row, rows_.size(), [&](std::uint32_t at) { return hash_of(rows_[at].key_); });
  if (row + 1 != rows_.size()) {
    rows_[row] = std::move(rows_.back());
    sorted_ = false;
  }
  rows_.pop_back();
  sorted_ = sorted_ || rows_.size() < 2;
}

void Resource::set_object(const addrs::InstanceKey& key, const std::string& deposed_key,
                          Object object) {
  if (!object && find(key) == nullptr) return;
  const std::uint32_t row = row_of(key);
  Instance& instance = rows_[row];
  if (deposed_key.empty()) {
    instance.current_ = std::move(object);
  } else if (object) {
    instance.rare().deposed.insert_or_assign(deposed_key, std::move(object));
  } else if (instance.object(deposed_key) != nullptr) {
    instance.rare().deposed.erase(deposed_key);
  }
  if (!instance.current_ && instance.deposed().empty()) remove_row(row);
}

void Resource::set_provider(std::shared_ptr<const addrs::AbsProviderConfig> provider) {
  const bool loses_alias = provider_ != nullptr && !provider_->alias.empty() &&
                           provider != nullptr && provider->alias.empty();
  provider_ = std::move(provider);
  if (!loses_alias) return;
  for (Instance& instance : rows_) {
    if (!instance.provider_key().is_none()) instance.rare().provider_key = addrs::InstanceKey();
  }
}

void Resource::set_provider_key(const addrs::InstanceKey& key, addrs::InstanceKey provider_key) {
  const Instance* found = find(key);
  if (found == nullptr || found->provider_key() == provider_key) return;
  rows_[static_cast<std::size_t>(found - rows_.data())].rare().provider_key =
      std::move(provider_key);
}

void Resource::put(addrs::InstanceKey key, const Instance& from) {
  Instance copy = from;
  copy.key_ = std::move(key);
  const std::uint32_t row = row_of(copy.key_);
  rows_[row] = std::move(copy);
}

void Resource::remove(const addrs::InstanceKey& key) {
  if (const Instance* found = find(key)) {
    remove_row(static_cast<std::uint32_t>(found - rows_.data()));
  }
}

bool Resource::operator==(const Resource& other) const {
  if (address_ != other.address_ || provider() != other.provider() || size() != other.size() ||
      unknown() != other.unknown()) {
    return false;
  }
  return std::ranges::all_of(rows_, [&](const Instance& instance) {
    const Instance* same = other.find(instance.key_);
    return same != nullptr && *same == instance;
  });
}

}  // namespace tofu::state
