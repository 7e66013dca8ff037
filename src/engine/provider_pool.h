// The provider configurations of one run: each opened once, configured once, and told
// to stop together.
//
// Threads: a configuration is added and configured by one task; the others ask for it
// once that has ended.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "addrs/provider_config.h"
#include "diag/diagnostic.h"
#include "providers/provider.h"

namespace tofu::engine {

struct ConfiguredProvider {
  addrs::AbsProviderInstance address;
  std::unique_ptr<providers::Provider> provider;
  bool is_usable = true;  // false once configuring it failed
};

class ProviderPool {
 public:
  explicit ProviderPool(providers::ProviderSource& source) : source_(source) {}

  // One more, not yet configured. Null if and only if an error was added.
  ConfiguredProvider* open(const addrs::AbsProviderInstance& address, diag::Diagnostics& diags);
  // Null if there is none.
  ConfiguredProvider* find(const addrs::AbsProviderInstance& address) const;
  // The configuration that an object of the state names: that, or the one that a child
  // module takes from its callers.
  ConfiguredProvider* find_for_state(const addrs::AbsProviderInstance& address) const;

  void stop();

 private:
  providers::ProviderSource& source_;
  mutable std::mutex mutex_;  // for everything below
  std::map<addrs::AbsProviderInstance, std::unique_ptr<ConfiguredProvider>> all_;
};

}  // namespace tofu::engine
