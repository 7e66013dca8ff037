// Which provider configuration a local name stands for in a module.
//
// A module has configurations of its own, is passed some by its caller, or inherits the default
// ones of the modules around it. A missing default configuration is replaced by an empty one of the
// root module.
//
// A configuration belongs to a provider and not to a local name: a module may call the same
// provider by the name of its required_providers and by the type that resources begin with.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "addrs/provider.h"
#include "addrs/provider_config.h"
#include "config/objects.h"
#include "config/tree.h"
#include "syntax/ast.h"

namespace tofu::config {

struct ResolvedProvider {
  addrs::Provider provider;
  ModuleId module;                         // where the configuration is, or should be
  addrs::LocalProviderConfig name;         // as that module calls it
  const ProviderConfig* config = nullptr;  // null: it is not in the configuration
  // The part of a configuration with for_each that a call passes: the expression that chooses one
  // of its instances, and the module that calls. Null if no call says so.
  const syntax::Expr* key = nullptr;
  ModuleId key_module = {};

  // False if it has an alias that no configuration declares.
  bool exists() const { return config != nullptr || name.alias.empty(); }
  addrs::AbsProviderConfig address(const Tree& tree) const {
    return {tree.node(module).path, provider, name.alias};
  }
};

ResolvedProvider resolve_provider(const Tree& tree, ModuleId module, std::string_view local_name,
                                  std::string_view alias);

// The configuration at an address as states have it: of that module, or passed to it by its
// caller, and never an inherited one. Nothing if it does not exist; the default configuration of
// the root module always does.
std::optional<ResolvedProvider> resolve_exactly(const Tree& tree, ModuleId module,
                                                const addrs::Provider& provider,
                                                std::string_view alias);

}  // namespace tofu::config
