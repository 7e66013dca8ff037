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
#include "engine/substitutes.h"
#include "providers/provider.h"

namespace tofu::engine {

struct ConfiguredProvider {
  // `usable`: it needs no configuration.
  ConfiguredProvider(addrs::AbsProviderInstance whose, std::unique_ptr<providers::Provider> opened,
                     Executor& executor, bool usable)
      : address(std::move(whose)),
        provider(std::move(opened)),
        configured(executor, usable ? 1 : 0),
        is_usable(usable) {}

  addrs::AbsProviderInstance address;
  std::unique_ptr<providers::Provider> provider;
  Gate configured;  // lets nobody in before it is, or cannot be
  bool is_usable;   // once it is configured
};

class ProviderPool {
 public:
  // `substitutes` may be null.
  ProviderPool(providers::ProviderSource& source, const Substitutes* substitutes,
               Executor& executor)
      : source_(source), substitutes_(substitutes), executor_(executor) {}

  // One more that is made up, and needs no configuration. Null: it is a real one.
  ConfiguredProvider* open_substitute(const addrs::AbsProviderInstance& address);
  // One more, not yet configured. Null if and only if an error was added.
  ConfiguredProvider* open(const addrs::AbsProviderInstance& address, diag::Diagnostics& diags);
  // Null if there is none.
  ConfiguredProvider* find(const addrs::AbsProviderInstance& address) const;
  // The configuration that an object of the state names: that, or the one that a child
  // module takes from its callers.
  ConfiguredProvider* find_for_state(const addrs::AbsProviderInstance& address) const;

  void stop();

 private:
  ConfiguredProvider* add(const addrs::AbsProviderInstance& address,
                          std::unique_ptr<providers::Provider> provider, bool usable);

  providers::ProviderSource& source_;
  const Substitutes* const substitutes_;
  Executor& executor_;
  mutable std::mutex mutex_;  // for everything below
  std::map<addrs::AbsProviderInstance, std::unique_ptr<ConfiguredProvider>> all_;
};

}  // namespace tofu::engine
