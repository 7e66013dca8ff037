#include "engine/provider_pool.h"

#include <utility>

#include "base/check.h"

namespace tofu::engine {

ConfiguredProvider* ProviderPool::open(const addrs::AbsProviderInstance& address,
                                       diag::Diagnostics& diags) {
  auto provider = source_.open(address.config.provider, diags);
  return provider ? add(address, std::move(provider), false) : nullptr;
}

ConfiguredProvider* ProviderPool::open_substitute(const addrs::AbsProviderInstance& address) {
  auto provider = substitutes_ == nullptr ? nullptr : substitutes_->open(address);
  return provider ? add(address, std::move(provider), true) : nullptr;
}

ConfiguredProvider* ProviderPool::add(const addrs::AbsProviderInstance& address,
                                      std::unique_ptr<providers::Provider> provider, bool usable) {
  auto made = std::make_unique<ConfiguredProvider>(address, std::move(provider), executor_, usable);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = all_.emplace(address, std::move(made));
  TOFU_CHECK(is_new, "a provider configuration is opened once");
  return place->second.get();
}

ConfiguredProvider* ProviderPool::find(const addrs::AbsProviderInstance& address) const {
  const std::lock_guard lock(mutex_);
  const auto found = all_.find(address);
  return found == all_.end() ? nullptr : found->second.get();
}

ConfiguredProvider* ProviderPool::find_for_state(const addrs::AbsProviderInstance& address) const {
  addrs::AbsProviderInstance wanted = address;
  while (true) {
    if (ConfiguredProvider* found = find(wanted)) return found;
    const auto outer = addrs::inherited_from(wanted.config);
    if (!outer) return nullptr;
    wanted.config = *outer;
  }
}

void ProviderPool::stop() {
  const std::lock_guard lock(mutex_);
  for (const auto& [address, configured] : all_) configured->provider->stop();
}

}  // namespace tofu::engine
