// The provider configurations of one run.
//
// A configuration is New from when its provider is opened until that answers; then it is
// Configured or Failed, for good. Only a Configured one is ever given out, as a
// ConfiguredProvider, so a provider that refused its configuration cannot be used.
//
// Threads: any. Everything that is given out lives as long as this.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "engine/run.h"
#include "engine/run_tasks.h"
#include "providers/provider.h"
#include "syntax/body.h"
#include "syntax/function.h"
#include "tasks/async.h"
#include "value/value.h"

namespace tofu::engine {

// A provider that accepted its configuration, or needs none. Only ProviderConfigs makes one.
class ConfiguredProvider {
 public:
  const addrs::AbsProviderInstance& address() const { return address_; }
  providers::Provider& provider() const { return *provider_; }

 private:
  friend class ProviderConfigs;
  ConfiguredProvider(addrs::AbsProviderInstance address,
                     std::unique_ptr<providers::Provider> provider)
      : address_(std::move(address)), provider_(std::move(provider)) {}

  addrs::AbsProviderInstance address_;
  std::unique_ptr<providers::Provider> provider_;
};

// All configurations, by address.
class ProviderConfigs {
 public:
  // `substitutes` may be null. All outlive it.
  ProviderConfigs(providers::ProviderSource& source, const Substitutes* substitutes,
                  tasks::Executor& executor, CallGate& calls)
      : source_(source), substitutes_(substitutes), calls_(calls), default_gate_(executor, 1) {}
  ProviderConfigs(const ProviderConfigs&) = delete;
  ProviderConfigs& operator=(const ProviderConfigs&) = delete;

  // Opens the provider and configures it with `config`, which `body` was evaluated to, if there is
  // one. Once for each address.
  [[nodiscard]] tasks::Async<diag::Checked<ConfiguredProvider*>> configure(
      addrs::AbsProviderInstance address, value::Value config, const syntax::Body* body,
      diag::Diagnostics& diags);
  // Notes that the configuration could not be evaluated, in the place of configure().
  void fail(const addrs::AbsProviderInstance& address);
  // Opens the substitute that tests have for this configuration, which needs none. Null: there is
  // no substitute.
  [[nodiscard]] ConfiguredProvider* open_substitute(const addrs::AbsProviderInstance& address);
  // The configuration of a provider that nothing in the program needs, as if it was written
  // empty. It is opened when it is first asked for. Null if an error was added, now or then.
  [[nodiscard]] tasks::Async<ConfiguredProvider*> open_default(addrs::Provider provider,
                                                               diag::Diagnostics& diags);

  // Null if the configuration is not Configured: it is New, Failed, or does not exist.
  [[nodiscard]] ConfiguredProvider* find(const addrs::AbsProviderInstance& address);
  [[nodiscard]] bool has_failed(const addrs::AbsProviderInstance& address) const;
  // The provider that stands in for `real` with one instance, or `real` itself.
  [[nodiscard]] ConfiguredProvider& substitute(const addrs::AbsResourceInstance& instance,
                                               ConfiguredProvider& real);

  // Asks all providers to end what they are doing.
  void stop();

 private:
  // The states. What failed is kept until the end, because its process may still be stopping.
  struct New {
    std::unique_ptr<providers::Provider> provider;
  };
  struct Failed {
    std::unique_ptr<providers::Provider> provider;  // null: it could not even be opened
  };
  using State = std::variant<New, ConfiguredProvider, Failed>;

  State& add(const addrs::AbsProviderInstance& address, State state);
  std::unique_ptr<providers::Provider> open(const addrs::AbsProviderInstance& address,
                                            diag::Diagnostics& diags);
  tasks::Async<ConfiguredProvider*> configure_opened(addrs::AbsProviderInstance address,
                                                     std::unique_ptr<providers::Provider> opened,
                                                     value::Value config, const syntax::Body* body,
                                                     diag::Diagnostics& diags);
  tasks::Async<bool> is_accepted(providers::Provider& provider, value::Value config,
                                 const syntax::Body* body, std::string address,
                                 diag::Diagnostics& diags);

  providers::ProviderSource& source_;
  const Substitutes* const substitutes_;
  CallGate& calls_;
  tasks::Gate default_gate_;  // one default configuration is opened at a time
  mutable std::mutex mutex_;  // for everything below
  std::map<addrs::AbsProviderInstance, State> all_;
  // By instance and the provider that it really has; nothing: it has no substitute.
  std::map<std::pair<addrs::AbsResourceInstance, const ConfiguredProvider*>,
           std::optional<ConfiguredProvider>>
      for_resources_;
};

// The functions of configured providers: a configuration may offer more of them than the provider's
// schema lists. It is asked for them once, when the first that is not listed is called; other calls
// wait for the answer.
class ProviderFunctions {
 public:
  // The function `name` of a provider that is configured. `listed` is what its schema says of
  // the function, null if nothing. Null if there is no such function.
  const syntax::Function* find(ConfiguredProvider& provider, const std::string& name,
                               const syntax::Function* listed);

 private:
  using Functions = std::map<std::string, syntax::Function, std::less<>>;

  const Functions& functions_of(ConfiguredProvider& provider);

  std::mutex mutex_;                                        // for everything below
  std::map<const ConfiguredProvider*, Functions> offered_;  // what configurations list
  std::map<std::pair<const ConfiguredProvider*, std::string>, syntax::Function> made_;
};

}  // namespace tofu::engine
