// Which provider configuration a local name stands for in a module.
//
// A module has configurations of its own, is passed some by its caller, or inherits the
// default ones of the modules around it. Where nobody wrote a default configuration, an
// empty one of the root module stands for it.
#pragma once

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
  const ProviderConfig* config = nullptr;  // null: nobody wrote one
  // What a call passes of a configuration with for_each: the expression that chooses one
  // of its instances, and the module that calls. Null if no call says so.
  const syntax::Expr* key = nullptr;
  ModuleId key_module = {};

  // False if it has an alias, and nobody wrote a configuration with that.
  bool exists() const { return config != nullptr || name.alias.empty(); }
  addrs::AbsProviderConfig address(const Tree& tree) const {
    return {tree.node(module).path, provider, name.alias};
  }
};

ResolvedProvider resolve_provider(const Tree& tree, ModuleId module, std::string_view local_name,
                                  std::string_view alias);

}  // namespace tofu::config
