// How a backend reaches services of Tencent Cloud: keys, and how requests are signed.
//
// Keys may be exchanged for those of a role. That happens when the first request is made,
// and again when a service no longer takes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/kinds.h"
#include "backends/settings.h"
#include "base/result.h"
#include "base/url.h"
#include "net/web.h"
#include "value/value.h"

namespace tofu::backends {

struct TencentKeys {
  std::string id;
  std::string secret;
  std::string token = {};  // of keys that expire
};

struct TencentRole {
  std::string arn;
  std::string session_name;
  std::string policy = {};
  std::int64_t seconds = 7200;
};

struct TencentSettings {
  TencentKeys keys;
  std::string region;
  std::optional<TencentRole> role;
};

std::vector<SettingSchema> tencent_setting_schemas();
TencentSettings read_tencent_settings(const Settings& settings);

class TencentAccess {
 public:
  TencentAccess(TencentSettings settings, const BackendContext& context);
  TencentAccess(const TencentAccess&) = delete;
  TencentAccess& operator=(const TencentAccess&) = delete;

  // To COS.
  base::Result<net::WebReply> ask_cos(net::WebRequest request, const base::Url& url);

  // The response of a service such as "tag": `code` is that of an error, or empty.
  struct Answer {
    std::string code = {};
    value::Value response;
  };
  base::Result<Answer> ask_service(const std::string& service, const std::string& action,
                                   const std::string& body);

 private:
  base::Result<void> find_keys();
  base::Result<Answer> ask_as(const TencentKeys& keys, const std::string& service,
                              const std::string& action, const std::string& body);

  TencentSettings settings_;
  net::Web web_;
  std::optional<TencentKeys> keys_;
};

// Signatures, for tests, too.
using CosPairs = std::vector<std::pair<std::string, std::string>>;
// The value of the Authorization header. `span` is when the signature holds: "FROM;TO", in
// seconds. Names of headers are in small letters.
std::string cos_signature(const TencentKeys& keys, const std::string& method, const base::Url& url,
                          CosPairs headers, const std::string& span);
// The same for other services.
std::string tc3_signature(const TencentKeys& keys, const std::string& service,
                          const std::string& host, const std::string& body, std::int64_t time);

}  // namespace tofu::backends
