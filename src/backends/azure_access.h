// How a backend reaches a storage account of Azure: where it is, and how requests are
// authorized.
//
// By the key of the account, by a shared access signature, by a token of Microsoft Entra
// ID, or by the key of the account that such a token may ask for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/kinds.h"
#include "backends/settings.h"
#include "base/result.h"
#include "identity/azure_credentials.h"
#include "net/web.h"

namespace tofu::backends {

struct AzureAccessSettings {
  std::string account;
  std::string domain;         // of blobs, where it is known without asking
  std::string metadata_host;  // that knows the domain
  std::string management = {};
  std::string access_key;  // in bytes
  std::string sas_token;
  bool use_entra = false;  // for blobs, not only for the key of the account
  std::string resource_group;
  std::string subscription;
  std::int64_t timeout_seconds = 300;
  // Variables of Azure's libraries that settings stand for.
  VariableSettings variables;
};

std::vector<SettingSchema> azure_setting_schemas();
AzureAccessSettings read_azure_settings(const Settings& settings);

class AzureAccess {
 public:
  AzureAccess(AzureAccessSettings settings, const BackendContext& context);
  AzureAccess(const AzureAccess&) = delete;
  AzureAccess& operator=(const AzureAccess&) = delete;

  // Of the account, without a slash at its end.
  base::Result<base::Url> endpoint();
  // Authorizes the request and sends it to `url`.
  base::Result<net::WebReply> ask(net::WebRequest request, base::Url url);

 private:
  base::Result<void> prepare();
  base::Result<std::string> ask_domain();
  base::Result<void> ask_key();

  AzureAccessSettings settings_;
  net::EnvironmentVariable environment_;
  net::Web web_;
  identity::Cloud cloud_;
  std::optional<base::Url> endpoint_;
  std::optional<net::Secret> token_;
};

// The value of the Authorization header for the key of an account. For tests, too.
std::string shared_key_signature(const std::string& account, std::string_view key,
                                 const net::WebRequest& request, const base::Url& url,
                                 std::size_t body_size);

}  // namespace tofu::backends
