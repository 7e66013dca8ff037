// How a backend reaches services of AWS: region, keys, endpoints, and what its
// configuration says about each.
//
// Keys are found when the first request is made, and again when a service says that they
// have expired: a long run outlives the session of a role.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "backends/kinds.h"
#include "backends/settings.h"
#include "base/result.h"
#include "identity/aws_credentials.h"
#include "identity/aws_services.h"
#include "net/web.h"

namespace tofu::backends {

struct AwsSettings {
  std::string region;
  std::string sts_region;
  std::string access_key;
  net::Secret secret_key;
  net::Secret token;
  std::string profile;
  std::optional<identity::AwsRole> role;      // to assume with the keys
  std::optional<identity::AwsRole> web_role;  // to assume with a token of a web identity
  std::string web_token;
  std::string web_token_file;
  std::vector<std::string> allowed_accounts;
  std::vector<std::string> forbidden_accounts;
  // Variables of Amazon's libraries that settings stand for.
  VariableSettings variables;
  // Addresses of services, where they are not Amazon's.
  std::string s3_endpoint;
  std::string dynamodb_endpoint;
  bool dual_stack = false;
  bool fips = false;
  net::TlsOptions tls;
  net::ProxyOptions proxy;
  std::int64_t retries = 5;
};

// The part of the s3 backend's schema and of its settings that says how to reach AWS.
std::vector<SettingSchema> aws_setting_schemas();
AwsSettings read_aws_settings(const Settings& settings);

class AwsAccess {
 public:
  AwsAccess(AwsSettings settings, const BackendContext& context);
  AwsAccess(const AwsAccess&) = delete;
  AwsAccess& operator=(const AwsAccess&) = delete;

  const AwsSettings& settings() const { return settings_; }
  // Ends requests that begin now.
  std::stop_token request_stop() const { return web_.request_stop(); }
  // Signs the request for `service` and sends it.
  base::Result<net::WebReply> ask(net::WebRequest request, const base::Url& url,
                                  const std::string& service);

 private:
  base::Result<void> find_keys();
  base::Result<void> check_account();

  AwsSettings settings_;
  net::EnvironmentVariable environment_;
  net::Web web_;
  identity::Cloud cloud_;
  bool has_looked_ = false;
  std::optional<identity::AwsKeys> keys_;
};

// "amazonaws.com", or that of the partition which the region is in.
std::string aws_domain(std::string_view region);

}  // namespace tofu::backends
