// What stands in for parts of the world while a configuration is tested: providers that are
// made up, and modules that are not evaluated. A door: the engine only asks.
//
// Threads: any.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "addrs/module.h"
#include "addrs/provider_config.h"
#include "addrs/resource.h"
#include "diag/diagnostic.h"
#include "providers/provider.h"
#include "value/value.h"

namespace tofu::engine {

class Substitutes {
 public:
  virtual ~Substitutes() = default;

  // The provider that a whole configuration has. It is not configured, and the block is not
  // evaluated. Null: the real one.
  virtual std::unique_ptr<providers::Provider> open(
      const addrs::AbsProviderInstance& configuration) const = 0;
  // What a configuration is, where that is not for the module to say; what is wrong with it is
  // added to `diags`. Nothing: its block says it.
  virtual std::optional<value::Value> configuration(const addrs::AbsProviderInstance& configuration,
                                                    diag::Diagnostics& diags) const = 0;
  // The provider that objects of one resource have in the place of `real`, which outlives it.
  // Null: none.
  virtual std::unique_ptr<providers::Provider> for_resource(
      const addrs::ConfigResource& resource, const addrs::AbsProviderInstance& configuration,
      providers::Provider& real) const = 0;

  // What the outputs of a module are whose resources are left alone. Those that are not there
  // are null. Null: the module is evaluated.
  using Outputs = std::map<std::string, value::Value>;
  virtual const Outputs* outputs_of(const addrs::ModulePath& module) const = 0;
};

}  // namespace tofu::engine
