// Provider source addresses: [HOST/]NAMESPACE/TYPE.
//
// Always kept whole and normalized; what may be left out when writing one is
// filled in when it is read. Ordered by host, namespace, type.
#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

#include "base/hostname.h"
#include "base/result.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::addrs {

inline constexpr std::string_view kDefaultRegistryHost = "registry.opentofu.org";
inline constexpr std::string_view kDefaultNamespace = "hashicorp";
inline constexpr std::string_view kBuiltinHost = "terraform.io";
inline constexpr std::string_view kBuiltinNamespace = "builtin";
inline constexpr std::string_view kLegacyNamespace = "-";

struct Provider {
  base::Hostname host;
  std::string space;  // the namespace
  std::string type;

  bool is_builtin() const;
  // As states of old versions name providers: by type alone.
  bool is_legacy() const;
  std::string to_string() const;    // registry.opentofu.org/hashicorp/aws
  std::string for_display() const;  // without the default host: hashicorp/aws
  auto operator<=>(const Provider&) const = default;
};

// One part (namespace or type) in normalized form: lower case, and so on.
base::Result<std::string> parse_provider_part(std::string_view text);

// The whole address. `place` is where it was written, if that is known.
diag::Checked<Provider> parse_provider_source(std::string_view text,
                                              std::optional<diag::SourceRange> place,
                                              diag::Diagnostics& diags);

// `type` is a normalized part in all of these.
Provider default_provider(std::string type);  // in the default namespace and host
Provider builtin_provider(std::string type);  // terraform.io/builtin/…
Provider legacy_provider(std::string type);
// The provider of a local name that the module does not declare.
Provider implied_provider(std::string type);

}  // namespace tofu::addrs
