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
#include "engine/async.h"
#include "providers/provider.h"

namespace tofu::engine {

struct ConfiguredProvider {
  ConfiguredProvider(addrs::AbsProviderInstance whose, std::unique_ptr<providers::Provider> opened,
                     Executor& executor)
      : address(std::move(whose)), provider(std::move(opened)), configured(executor, 0) {}

  addrs::AbsProviderInstance address;
  std::unique_ptr<providers::Provider> provider;
  Gate configured;         // lets nobody in before it is, or cannot be
  bool is_usable = false;  // once it is configured
};

class ProviderPool {
 public:
  ProviderPool(providers::ProviderSource& source, Executor& executor)
      : source_(source), executor_(executor) {}

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
  Executor& executor_;
  mutable std::mutex mutex_;  // for everything below
  std::map<addrs::AbsProviderInstance, std::unique_ptr<ConfiguredProvider>> all_;
};

}  // namespace tofu::engine
