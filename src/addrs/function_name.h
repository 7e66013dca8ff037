// Names of functions with their namespaces: core::upper, provider::aws::arn_parse,
// symbols::lib::f.
//
// A name says where to look for a function, not that there is one.
#pragma once

#include <compare>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::addrs {

struct FunctionName {
  std::vector<std::string> namespaces;  // outermost first
  std::string name;

  // Without a namespace a function is a built-in one, as in `core::`.
  bool is_builtin() const;
  bool is_in(std::string_view outermost) const;
  std::string to_string() const;
  auto operator<=>(const FunctionName&) const = default;
};

FunctionName parse_function_name(std::string_view text);

struct ProviderFunction {
  std::string provider;  // local name
  std::string alias;     // empty for the default configuration
  std::string function;

  std::string to_string() const;
  auto operator<=>(const ProviderFunction&) const = default;
};

// A name in `provider::` as a function of a provider. `place` is where it was written.
diag::Checked<ProviderFunction> as_provider_function(const FunctionName& name,
                                                     diag::SourceRange place,
                                                     diag::Diagnostics& diags);

}  // namespace tofu::addrs
