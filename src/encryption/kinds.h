// The kinds of key providers and methods that an `encryption` block can name.
//
// A kind says which arguments it takes and makes a provider or method of them. Another one
// is another row of these tables.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "encryption/key_provider.h"
#include "encryption/method.h"
#include "encryption/settings.h"
#include "net/environment.h"
#include "net/web.h"

namespace tofu::encryption {

// The context that key providers may use besides their settings. References outlive them.
struct KeyProviderContext {
  net::WebOptions web;  // what all requests have in common
  const net::EnvironmentVariable& environment;
  std::stop_token stop;
};

struct KeyProviderKind {
  std::string_view name;
  std::span<const Argument> arguments;
  // An error is a clause about the settings.
  base::Result<std::shared_ptr<const KeyProvider>> (*make)(const Settings& settings,
                                                           std::string storage_name,
                                                           const KeyProviderContext& context);
};

struct MethodKind {
  std::string_view name;
  std::span<const Argument> arguments;
  base::Result<std::shared_ptr<const Method>> (*make)(const Settings& settings,
                                                      const KeyProviderContext& context);
};

// Those that ask a service; each is defined in its own file.
extern const KeyProviderKind kAwsKms;      // data keys of AWS KMS
extern const KeyProviderKind kAzureVault;  // keys made here, wrapped by an Azure Key Vault
extern const KeyProviderKind kGcpKms;      // keys made here, wrapped by Google Cloud KMS
extern const KeyProviderKind kOpenBao;     // data keys of the transit engine of OpenBao or Vault

// Null if there is none of that name.
const KeyProviderKind* find_key_provider_kind(std::string_view name);
const MethodKind* find_method_kind(std::string_view name);

inline constexpr std::string_view kUnencrypted = "unencrypted";

}  // namespace tofu::encryption
