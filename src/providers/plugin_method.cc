#include "providers/plugin_method.h"

#include <cstddef>
#include <fmt/format.h>

namespace tofu::providers {

namespace {

struct MethodNames {
  std::string_view six;
  std::string_view five;  // empty: the same
};

// In the order of the enumerators.
constexpr MethodNames kNames[] = {
    {"GetProviderSchema", "GetSchema"},
    {"GetResourceIdentitySchemas", {}},
    {"GetFunctions", {}},
    {"ValidateProviderConfig", "PrepareProviderConfig"},
    {"ValidateResourceConfig", "ValidateResourceTypeConfig"},
    {"ValidateDataResourceConfig", "ValidateDataSourceConfig"},
    {"ValidateEphemeralResourceConfig", {}},
    {"ConfigureProvider", "Configure"},
    {"UpgradeResourceState", {}},
    {"UpgradeResourceIdentity", {}},
    {"ReadResource", {}},
    {"PlanResourceChange", {}},
    {"ApplyResourceChange", {}},
    {"ImportResourceState", {}},
    {"MoveResourceState", {}},
    {"GenerateResourceConfig", {}},
    {"ReadDataSource", {}},
    {"OpenEphemeralResource", {}},
    {"RenewEphemeralResource", {}},
    {"CloseEphemeralResource", {}},
    {"CallFunction", {}},
    {"StopProvider", "Stop"},
};
static_assert(std::size(kNames) == static_cast<std::size_t>(PluginMethod::Stop) + 1);

}  // namespace

std::string_view method_name(PluginMethod method, int protocol) {
  const MethodNames& names = kNames[static_cast<std::size_t>(method)];
  return protocol == 5 && !names.five.empty() ? names.five : names.six;
}

std::string method_path(PluginMethod method, int protocol) {
  return fmt::format("/tfplugin{}.Provider/{}", protocol, method_name(method, protocol));
}

}  // namespace tofu::providers
