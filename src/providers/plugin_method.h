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
  ReadData,
  Open,
  Renew,
  Close,
  CallFunction,
  Stop,
};

// What people who read a provider's log know the call by, such as "PlanResourceChange".
std::string_view method_name(PluginMethod method, int protocol);
// What is asked for over gRPC, such as "/tfplugin6.Provider/PlanResourceChange".
std::string method_path(PluginMethod method, int protocol);

}  // namespace tofu::providers
