// How a backend reaches services of Alibaba Cloud: keys, endpoints, and how requests are
// signed.
//
// Keys come from settings, a profile of the `aliyun` command line, or the role of an ECS
// instance, and may be exchanged for those of a RAM role. They are found when the first
// request is made, and again when a service says that they have expired.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "backends/kinds.h"
#include "backends/settings.h"
#include "base/result.h"
#include "identity/cloud.h"
#include "net/web.h"

namespace tofu::backends {

struct AlibabaKeys {
  std::string id;
  std::string secret;
  std::string token = {};  // of keys that expire
};

struct AlibabaRole {
  std::string arn;
  std::string session_name;
  std::string policy = {};
  std::int64_t seconds = 3600;
};

struct AlibabaSettings {
  AlibabaKeys keys;           // may be empty
  std::string instance_role;  // of an ECS instance, where there are no keys
  std::optional<AlibabaRole> role;
  std::string region;
  std::string sts_endpoint;
};

std::vector<SettingSchema> alibaba_setting_schemas();
AlibabaSettings read_alibaba_settings(const Settings& settings);

class AlibabaAccess {
 public:
  AlibabaAccess(AlibabaSettings settings, const BackendContext& context);
  AlibabaAccess(const AlibabaAccess&) = delete;
  AlibabaAccess& operator=(const AlibabaAccess&) = delete;

  const AlibabaSettings& settings() const { return settings_; }
  // Ends requests that begin now.
  std::stop_token request_stop() const { return web_.request_stop(); }

  // To OSS. `resource` is what the signature names: /BUCKET/OBJECT, not encoded.
  base::Result<net::WebReply> ask_oss(net::WebRequest request, const base::Url& url,
                                      const std::string& resource);
  // To TableStore, an operation such as PutRow with its message.
  base::Result<net::WebReply> ask_table(const base::Url& endpoint, const std::string& instance,
                                        const std::string& operation, const std::string& body);

 private:
  base::Result<void> find_keys();
  base::Result<AlibabaKeys> instance_keys();
  base::Result<AlibabaKeys> assume_role(const AlibabaKeys& keys);

  AlibabaSettings settings_;
  net::EnvironmentVariable environment_;
  net::Web web_;
  identity::Cloud cloud_;
  std::optional<AlibabaKeys> keys_;
};

// Signatures, for tests, too. `headers` are names in small letters with their values.
using SignedHeaders = std::vector<std::pair<std::string, std::string>>;
// Of OSS, version 1. `content` are the MD5 and the type of the body.
std::string oss_signature(const std::string& secret, const std::string& method,
                          const std::pair<std::string, std::string>& content,
                          const std::string& date, SignedHeaders headers,
                          const std::string& resource);
std::string table_signature(const std::string& secret, const std::string& operation,
                            SignedHeaders headers);
// Of services that take their arguments as a query (RPC), version 1.0.
std::string rpc_signature(const std::string& secret, const std::string& method,
                          base::UrlArguments arguments);

}  // namespace tofu::backends
