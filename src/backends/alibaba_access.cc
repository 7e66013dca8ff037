#include "backends/alibaba_access.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "backends/remote.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/hashes.h"
#include "base/url.h"
#include "base/uuid.h"
#include "functions/file_path.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

using net::Origin;
using net::Secret;
using net::text_at;
using net::WebReply;
using net::WebRequest;
using value::Value;

constexpr std::string_view kTableVersion = "2015-12-31";

std::string now(const char* format) {
  return fmt::format(fmt::runtime(fmt::format("{{:{}}}", format)), fmt::gmtime(std::time(nullptr)));
}

std::int64_t number_at(const Value& object, std::string_view name) {
  const Value* found = object.unmarked().find(name);
  if (found == nullptr || found->kind() != value::Kind::Number) return 0;
  return found->unmarked().as_number().to_int64().value_or(0);
}

// The profile of the command line that is named; nothing if none is, or it is not there.
std::optional<Value> read_profile(const Settings& settings) {
  const std::string name = settings.text("profile", {"ALICLOUD_PROFILE"});
  if (name.empty()) return std::nullopt;
  const std::string home = settings.variable("HOME");
  const std::string given =
      settings.text("shared_credentials_file", {"ALICLOUD_SHARED_CREDENTIALS_FILE"});
  const auto path = functions::expand_home(given.empty() ? "~/.aliyun/config.json" : given, home);
  if (!path) {
    settings.refuse("shared_credentials_file", path.error().what);
    return std::nullopt;
  }
  const auto kind = base::file_kind(*path);
  if (kind && *kind == base::FileKind::Missing) return std::nullopt;
  const auto text = identity::read_credentials_file(*path);
  const auto document = text ? net::parse_json_object(*text) : std::nullopt;
  const Value* profiles = document ? document->unmarked().find("profiles") : nullptr;
  if (profiles == nullptr || profiles->kind() != value::Kind::Tuple) {
    settings.refuse(
        "shared_credentials_file",
        text ? fmt::format("{:?} is not a file of profiles", *path) : text.error().what);
    return std::nullopt;
  }
  for (const Value& item : profiles->unmarked().items()) {
    if (text_at(item, "name") == name) return item;
  }
  return std::nullopt;
}

// The settings of a profile, by its mode.
void use_profile(const Value& profile, AlibabaSettings& alibaba) {
  const std::string mode = text_at(profile, "mode");
  const auto set = [&](std::string& into, std::string_view name) {
    if (into.empty()) into = text_at(profile, name);
  };
  set(alibaba.region, "region_id");
  if (mode != "EcsRamRole") {
    set(alibaba.keys.id, "access_key_id");
    set(alibaba.keys.secret, "access_key_secret");
  } else {
    set(alibaba.instance_role, "ram_role_name");
  }
  if (mode == "StsToken") set(alibaba.keys.token, "sts_token");
  if (mode != "RamRoleArn") return;
  alibaba.role =
      AlibabaRole{text_at(profile, "ram_role_arn"), text_at(profile, "ram_session_name")};
  alibaba.role->seconds = number_at(profile, "expired_seconds");
}

void check_seconds(const Settings& settings, std::string_view name, std::int64_t seconds) {
  if (settings.has(name) && (seconds < 900 || seconds > 3600)) {
    settings.refuse(name, "it is not between 900 and 3600 seconds");
  }
}

void read_role(const Settings& settings, AlibabaSettings& alibaba) {
  const std::string arn = settings.text("assume_role_role_arn", {"ALICLOUD_ASSUME_ROLE_ARN"});
  const std::int64_t seconds = settings.number("assume_role_session_expiration");
  check_seconds(settings, "assume_role_session_expiration", seconds);
  if (!arn.empty()) {
    const std::string before = alibaba.role ? alibaba.role->session_name : std::string();
    alibaba.role = AlibabaRole{
        arn,
        settings.text("assume_role_session_name", {"ALICLOUD_ASSUME_ROLE_SESSION_NAME"}, before),
        settings.text("assume_role_policy"),
        seconds != 0 || !alibaba.role ? seconds : alibaba.role->seconds};
  } else if (const auto block = settings.inside("assume_role")) {
    const std::string before = alibaba.role ? alibaba.role->session_name : std::string();
    alibaba.role =
        AlibabaRole{block->needed_text("role_arn", {"ALICLOUD_ASSUME_ROLE_ARN"}),
                    block->text("session_name", {"ALICLOUD_ASSUME_ROLE_SESSION_NAME"}, before),
                    block->text("policy"), block->number("session_expiration")};
    check_seconds(*block, "session_expiration", alibaba.role->seconds);
  }
  if (!alibaba.role) return;
  if (alibaba.role->session_name.empty()) alibaba.role->session_name = "tofu";
  if (alibaba.role->seconds == 0) {
    alibaba.role->seconds = settings.number("", {"ALICLOUD_ASSUME_ROLE_SESSION_EXPIRATION"}, 3600);
  }
}

std::string with_scheme(const std::string& address) {
  return address.find("://") == std::string::npos ? "https://" + address : address;
}

std::string joined(SignedHeaders headers) {
  std::ranges::sort(headers);
  std::string text;
  for (const auto& [name, header] : headers) text += fmt::format("{}:{}\n", name, header);
  return text;
}

}  // namespace

std::vector<SettingSchema> alibaba_setting_schemas() {
  using value::Type;
  const Type number = Type::number();
  return {
      {.name = "access_key", .about = "The ID of an access key."},
      {.name = "secret_key", .about = "Its secret.", .sensitive = true},
      {.name = "security_token", .about = "The token of keys that expire.", .sensitive = true},
      {.name = "ecs_role_name", .about = "The role of this ECS instance."},
      {.name = "region", .about = "The region of the bucket."},
      {.name = "sts_endpoint", .about = "The address of STS."},
      {.name = "shared_credentials_file", .about = "The file with profiles."},
      {.name = "profile", .about = "The profile in it."},
      {.name = "assume_role_role_arn", .about = "The role to assume."},
      {.name = "assume_role_session_name", .about = "The name of its session."},
      {.name = "assume_role_policy", .about = "A policy that restricts the session."},
      {.name = "assume_role_session_expiration",
       .type = number,
       .about = "Seconds after which the session ends."},
      {.name = "assume_role",
       .inside = {{.name = "role_arn"},
                  {.name = "session_name"},
                  {.name = "policy"},
                  {.name = "session_expiration", .type = number}},
       .block = schema::Nesting::Set},
  };
}

AlibabaSettings read_alibaba_settings(const Settings& settings) {
  AlibabaSettings alibaba;
  alibaba.keys.id = settings.text("access_key", {"ALICLOUD_ACCESS_KEY", "ALICLOUD_ACCESS_KEY_ID"});
  alibaba.keys.secret =
      settings.text("secret_key", {"ALICLOUD_SECRET_KEY", "ALICLOUD_ACCESS_KEY_SECRET"});
  alibaba.keys.token = settings.text("security_token", {"ALICLOUD_SECURITY_TOKEN"});
  alibaba.instance_role = settings.text("ecs_role_name", {"ALICLOUD_ECS_ROLE_NAME"});
  alibaba.region = settings.text("region", {"ALICLOUD_REGION", "ALICLOUD_DEFAULT_REGION"});
  alibaba.sts_endpoint = settings.text("sts_endpoint", {"ALICLOUD_STS_ENDPOINT"});
  if (const auto profile = read_profile(settings)) use_profile(*profile, alibaba);
  read_role(settings, alibaba);
  if (alibaba.keys.id.empty() != alibaba.keys.secret.empty()) {
    settings.refuse("access_key", "an access key and its secret are given together");
  }
  if (alibaba.keys.id.empty() && alibaba.instance_role.empty() && settings.ok()) {
    settings.refuse("access_key",
                    "no credentials: set \"secret_key\" (ALICLOUD_ACCESS_KEY, "
                    "ALICLOUD_SECRET_KEY), a \"profile\" or \"ecs_role_name\"");
  }
  return alibaba;
}

std::string oss_signature(const std::string& secret, const std::string& method,
                          const std::pair<std::string, std::string>& content,
                          const std::string& date, SignedHeaders headers,
                          const std::string& resource) {
  const std::string text = fmt::format("{}\n{}\n{}\n{}\n{}{}", method, content.first,
                                       content.second, date, joined(std::move(headers)), resource);
  return base::base64_encode(base::hmac_sha1(secret, text));
}

std::string table_signature(const std::string& secret, const std::string& operation,
                            SignedHeaders headers) {
  const std::string text = fmt::format("/{}\nPOST\n\n{}", operation, joined(std::move(headers)));
  return base::base64_encode(base::hmac_sha1(secret, text));
}

std::string rpc_signature(const std::string& secret, const std::string& method,
                          base::UrlArguments arguments) {
  std::ranges::sort(arguments);
  std::string query;
  for (const auto& [name, text] : arguments) {
    query += fmt::format("{}{}={}", query.empty() ? "" : "&", base::escape_url(name),
                         base::escape_url(text));
  }
  const std::string text = fmt::format("{}&%2F&{}", method, base::escape_url(query));
  return base::base64_encode(base::hmac_sha1(secret + "&", text));
}

AlibabaAccess::AlibabaAccess(AlibabaSettings settings, const BackendContext& context)
    : settings_(std::move(settings)),
      environment_(context.environment),
      web_(
          [&] {
            net::WebOptions options = backend_web_options(context);
            options.retries = 4;
            return options;
          }(),
          no_cancellation()),
      cloud_{web_, environment_, no_cancellation()} {}

base::Result<AlibabaKeys> AlibabaAccess::instance_keys() {
  const auto body = identity::ask_service(
      cloud_,
      identity::machine_request(
          "http://100.100.100.200/latest/meta-data/ram/security-credentials/" +
          base::escape_url(settings_.instance_role)),
      "the metadata service of this ECS instance");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  AlibabaKeys keys;
  if (document && text_at(*document, "Code") == "Success") {
    keys = {text_at(*document, "AccessKeyId"), text_at(*document, "AccessKeySecret"),
            text_at(*document, "SecurityToken")};
  }
  if (keys.id.empty() || keys.secret.empty()) {
    return base::Error{
        fmt::format("the metadata service has no keys for the role {:?}", settings_.instance_role)};
  }
  return keys;
}

base::Result<AlibabaKeys> AlibabaAccess::assume_role(const AlibabaKeys& keys) {
  std::string address = settings_.sts_endpoint;
  if (address.empty()) {
    address = settings_.region.empty() ? "sts.aliyuncs.com"
                                       : fmt::format("sts.{}.aliyuncs.com", settings_.region);
  }
  const auto url = net::parse_web_url(with_scheme(address) + "/");
  if (!url) return url.error();
  auto nonce = base::random_uuid();
  if (!nonce) return std::move(nonce).error();
  base::UrlArguments arguments = {{"Action", "AssumeRole"},
                                  {"Version", "2015-04-01"},
                                  {"Format", "JSON"},
                                  {"AccessKeyId", keys.id},
                                  {"SignatureMethod", "HMAC-SHA1"},
                                  {"SignatureVersion", "1.0"},
                                  {"SignatureNonce", std::move(*nonce)},
                                  {"Timestamp", now("%Y-%m-%dT%H:%M:%SZ")},
                                  {"RoleArn", settings_.role->arn},
                                  {"RoleSessionName", settings_.role->session_name},
                                  {"DurationSeconds", std::to_string(settings_.role->seconds)}};
  if (!settings_.role->policy.empty()) arguments.emplace_back("Policy", settings_.role->policy);
  if (!keys.token.empty()) arguments.emplace_back("SecurityToken", keys.token);
  arguments.emplace_back("Signature", rpc_signature(keys.secret, "POST", arguments));
  const auto body = identity::ask_service(
      cloud_,
      {.url = url->to_string(),
       .method = "POST",
       .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
       .body = Secret(base::format_url_query(std::move(arguments)), Origin(*url))},
      "Alibaba Cloud's service for roles (STS)");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  const Value* found = document ? net::object_at(*document, "Credentials") : nullptr;
  AlibabaKeys assumed;
  if (found != nullptr) {
    assumed = {text_at(*found, "AccessKeyId"), text_at(*found, "AccessKeySecret"),
               text_at(*found, "SecurityToken")};
  }
  if (assumed.id.empty() || assumed.secret.empty()) {
    return base::Error{"the answer to a request for keys of a role has none"};
  }
  return assumed;
}

base::Result<void> AlibabaAccess::find_keys() {
  if (keys_) return {};
  AlibabaKeys found = settings_.keys;
  if (found.id.empty()) {
    auto keys = instance_keys();
    if (!keys) return std::move(keys).error();
    found = std::move(*keys);
  }
  if (settings_.role) {
    auto keys = assume_role(found);
    if (!keys) return std::move(keys).error();
    found = std::move(*keys);
  }
  keys_ = std::move(found);
  return {};
}

base::Result<WebReply> AlibabaAccess::ask_oss(WebRequest request, const base::Url& url,
                                              const std::string& resource) {
  const Origin origin(url);
  request.url = url.to_string();
  std::pair<std::string, std::string> content;
  SignedHeaders signed_headers;
  for (const net::WebHeader& each : request.headers) {
    if (each.name == "Content-MD5") content.first = each.value;
    if (each.name == "Content-Type") content.second = each.value;
    if (each.name.starts_with("x-oss-")) signed_headers.emplace_back(each.name, each.value);
  }
  // libcurl adds a type of its own to what has none.
  if (content.second.empty() && (request.method == "PUT" || request.method == "DELETE")) {
    content.second = "application/json";
    request.headers.push_back({"Content-Type", content.second});
  }
  for (bool is_second = false;; is_second = true) {
    if (auto ready = find_keys(); !ready) return ready.error();
    WebRequest sent = request;
    SignedHeaders headers = signed_headers;
    const std::string date = now("%a, %d %b %Y %H:%M:%S GMT");
    sent.headers.push_back({"Date", date});
    if (!keys_->token.empty()) {
      headers.emplace_back("x-oss-security-token", keys_->token);
      sent.private_headers.push_back({"x-oss-security-token", Secret(keys_->token, origin)});
    }
    const std::string signature =
        oss_signature(keys_->secret, sent.method, content, date, std::move(headers), resource);
    sent.private_headers.push_back(
        {"Authorization", Secret(fmt::format("OSS {}:{}", keys_->id, signature), origin)});
    auto reply = web_.ask(sent);
    const bool can_change = settings_.role || settings_.keys.id.empty();
    if (!reply || is_second || reply->status != 403 || !can_change) return reply;
    keys_.reset();  // they may have expired
  }
}

base::Result<WebReply> AlibabaAccess::ask_table(const base::Url& endpoint,
                                                const std::string& instance,
                                                const std::string& operation,
                                                const std::string& body) {
  base::Url url = endpoint;
  url.path = "/" + operation;
  const Origin origin(url);
  for (bool is_second = false;; is_second = true) {
    if (auto ready = find_keys(); !ready) return ready.error();
    SignedHeaders headers = {
        {"x-ots-accesskeyid", keys_->id},
        {"x-ots-apiversion", std::string(kTableVersion)},
        {"x-ots-contentmd5", base::base64_encode(base::digest(base::Hash::Md5, body))},
        {"x-ots-date", now("%Y-%m-%dT%H:%M:%S.000Z")},
        {"x-ots-instancename", instance}};
    if (!keys_->token.empty()) headers.emplace_back("x-ots-ststoken", keys_->token);
    WebRequest sent{.url = url.to_string(),
                    .method = "POST",
                    .headers = {{"Content-Type", "application/x.pb2"}},
                    .body = Secret(body, origin),
                    .limit = kMaxLockRecordSize};
    for (const auto& [name, text] : headers) {
      sent.private_headers.push_back({name, Secret(text, origin)});
    }
    sent.private_headers.push_back(
        {"x-ots-signature", Secret(table_signature(keys_->secret, operation, headers), origin)});
    auto reply = web_.ask(sent);
    const bool can_change = settings_.role || settings_.keys.id.empty();
    // Of all that is refused so, only keys that expired are worth another try.
    const bool has_expired =
        reply && reply->status == 403 && reply->body.find("OTSAuthFailed") != std::string::npos;
    if (!has_expired || is_second || !can_change) return reply;
    keys_.reset();
  }
}

}  // namespace tofu::backends
