// The calls of the provider protocol, by one name for both versions of it.
//
// Versions 5 and 6 have the same calls with the same messages; some have another name,
// and that is all that differs here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tofu::providers {

enum class PluginMethod : std::uint8_t {
  GetSchema,
  GetIdentitySchemas,
  GetFunctions,
  ValidateProvider,
  ValidateResource,
  ValidateData,
  ValidateEphemeral,
  Configure,
  UpgradeState,
  UpgradeIdentity,
  Read,
  Plan,
  Apply,
  Import,
  Move,
  GenerateConfig,
  ReadData,
  Open,
  Renew,
  Close,
  CallFunction,
  Stop,
};

// The name of the call in a provider's log, such as "PlanResourceChange".
std::string_view method_name(PluginMethod method, int protocol);
// The gRPC path of the call, such as "/tfplugin6.Provider/PlanResourceChange".
std::string method_path(PluginMethod method, int protocol);

}  // namespace tofu::providers
