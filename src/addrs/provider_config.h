// Provider configurations: as a module names them, and absolutely as the state
// names them.
//
// The text of the absolute form is stored in state and plan files, so it never
// changes its shape.
#pragma once

#include <compare>
#include <optional>
#include <string>

#include "addrs/instance_key.h"
#include "addrs/module.h"
#include "addrs/provider.h"
#include "diag/diagnostic.h"
#include "syntax/ast.h"

namespace tofu::addrs {

// By the local name that the module gave the provider.
struct LocalProviderConfig {
  std::string local_name;
  std::string alias = {};  // empty for the default configuration

  std::string to_string() const;  // provider.aws.west
  std::string compact() const;    // aws.west
  auto operator<=>(const LocalProviderConfig&) const = default;
};

struct AbsProviderConfig {
  ModulePath module;
  Provider provider;
  std::string alias = {};

  std::string to_string() const;  // module.a.provider["registry.opentofu.org/hashicorp/aws"].west
  auto operator<=>(const AbsProviderConfig&) const = default;
};

// One of the instances that for_each makes of a configuration.
struct AbsProviderInstance {
  AbsProviderConfig config;
  InstanceKey key = {};

  std::string to_string() const { return config.to_string() + key.to_string(); }
  auto operator<=>(const AbsProviderInstance&) const = default;
};

diag::Checked<AbsProviderInstance> parse_abs_provider_instance(const syntax::Traversal& traversal,
                                                               diag::Diagnostics& diags);
diag::Checked<AbsProviderConfig> parse_abs_provider_config(const syntax::Traversal& traversal,
                                                           diag::Diagnostics& diags);
// As states before version 4 have it: provider.aws.west
diag::Checked<AbsProviderConfig> parse_legacy_provider_config(const syntax::Traversal& traversal,
                                                              diag::Diagnostics& diags);

// The configuration that a child module's default one is taken from when it has
// none of its own. Nothing for the root and for configurations with an alias.
std::optional<AbsProviderConfig> inherited_from(const AbsProviderConfig& config);

}  // namespace tofu::addrs
