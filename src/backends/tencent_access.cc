#include "backends/tencent_access.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>

#include "backends/remote.h"
#include "base/ascii.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

using base::hex_digest;
using base::hmac_sha1;
using base::hmac_sha256;
using base::to_hex;
using net::Origin;
using net::Secret;
using net::text_at;
using net::WebReply;
using net::WebRequest;

constexpr const char* kServiceVersion = "2018-08-13";  // of the services for tags and for roles
constexpr std::int64_t kSignatureSeconds = 3600;

// "name=value&…" with names in order, and "name;…".
std::pair<std::string, std::string> sign_list(CosPairs pairs) {
  for (auto& [name, text] : pairs) {
    name = base::ascii_lower(base::escape_url(name));
  }
  std::ranges::sort(pairs);
  std::pair<std::string, std::string> list;
  for (const auto& [name, text] : pairs) {
    const bool is_first = list.first.empty();
    list.first += fmt::format("{}{}={}", is_first ? "" : "&", name, base::escape_url(text));
    list.second += (is_first ? "" : ";") + name;
  }
  return list;
}

}  // namespace

std::vector<SettingSchema> tencent_setting_schemas() {
  using value::Type;
  return {
      {.name = "secret_id", .about = "The ID of a key."},
      {.name = "secret_key", .about = "The key.", .sensitive = true},
      {.name = "security_token", .about = "The token of keys that expire.", .sensitive = true},
      {.name = "region", .about = "The region of the bucket."},
      {.name = "assume_role",
       .inside = {{.name = "role_arn", .about = "The role to assume."},
                  {.name = "session_name", .about = "The name of its session."},
                  {.name = "session_duration",
                   .type = Type::number(),
                   .about = "Seconds after which the session ends."},
                  {.name = "policy", .about = "A policy that restricts the session."}},
       .block = schema::Nesting::Set},
  };
}

TencentSettings read_tencent_settings(const Settings& settings) {
  TencentSettings tencent;
  tencent.keys.id = settings.text("secret_id", {"TENCENTCLOUD_SECRET_ID"});
  tencent.keys.secret = settings.text("secret_key", {"TENCENTCLOUD_SECRET_KEY"});
  tencent.keys.token = settings.text("security_token", {"TENCENTCLOUD_SECURITY_TOKEN"});
  if (tencent.keys.id.empty() || tencent.keys.secret.empty()) {
    settings.refuse(
        "secret_id",
        "no credentials: set \"secret_key\" (TENCENTCLOUD_SECRET_ID, TENCENTCLOUD_SECRET_KEY)");
  }
  tencent.region = settings.needed_text("region", {"TENCENTCLOUD_REGION"});
  if (const auto block = settings.inside("assume_role")) {
    tencent.role = TencentRole{
        block->needed_text("role_arn", {"TENCENTCLOUD_ASSUME_ROLE_ARN"}),
        block->needed_text("session_name", {"TENCENTCLOUD_ASSUME_ROLE_SESSION_NAME"}),
        block->text("policy"),
        block->number("session_duration", {"TENCENTCLOUD_ASSUME_ROLE_SESSION_DURATION"}, 7200)};
    if (tencent.role->seconds < 0 || tencent.role->seconds > 43200) {
      block->refuse("session_duration", "it is not between 0 and 43200 seconds");
    }
  }
  return tencent;
}

std::string cos_signature(const TencentKeys& keys, const std::string& method, const base::Url& url,
                          CosPairs headers, const std::string& span) {
  const std::string small_method = base::ascii_lower(method);
  const auto [header_text, header_names] = sign_list(std::move(headers));
  const auto [argument_text, argument_names] = sign_list(base::parse_url_query(url.query));
  const std::string request =
      fmt::format("{}\n{}\n{}\n{}\n", small_method, url.decoded_path(), argument_text, header_text);
  const std::string text =
      fmt::format("sha1\n{}\n{}\n", span, hex_digest(base::Hash::Sha1, request));
  const std::string key = to_hex(hmac_sha1(keys.secret, span));
  return fmt::format(
      "q-sign-algorithm=sha1&q-ak={}&q-sign-time={}&q-key-time={}&q-header-list={}"
      "&q-url-param-list={}&q-signature={}",
      keys.id, span, span, header_names, argument_names, to_hex(hmac_sha1(key, text)));
}

std::string tc3_signature(const TencentKeys& keys, const std::string& service,
                          const std::string& host, const std::string& body, std::int64_t time) {
  const std::string date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(static_cast<std::time_t>(time)));
  const std::string scope = fmt::format("{}/{}/tc3_request", date, service);
  constexpr std::string_view kSigned = "content-type;host";
  const std::string request =
      fmt::format("POST\n/\n\ncontent-type:application/json\nhost:{}\n\n{}\n{}", host, kSigned,
                  hex_digest(base::Hash::Sha256, body));
  const std::string text = fmt::format("TC3-HMAC-SHA256\n{}\n{}\n{}", time, scope,
                                       hex_digest(base::Hash::Sha256, request));
  const std::string key =
      hmac_sha256(hmac_sha256(hmac_sha256("TC3" + keys.secret, date), service), "tc3_request");
  return fmt::format("TC3-HMAC-SHA256 Credential={}/{}, SignedHeaders={}, Signature={}", keys.id,
                     scope, kSigned, to_hex(hmac_sha256(key, text)));
}

TencentAccess::TencentAccess(TencentSettings settings, const BackendContext& context)
    : settings_(std::move(settings)),
      web_(
          [&] {
            net::WebOptions options = backend_web_options(context);
            options.retries = 3;
            return options;
          }(),
          no_cancellation()) {}

base::Result<TencentAccess::Answer> TencentAccess::ask_as(const TencentKeys& keys,
                                                          const std::string& service,
                                                          const std::string& action,
                                                          const std::string& body) {
  const std::string host = service + ".tencentcloudapi.com";
  const auto url = net::parse_web_url("https://" + host + "/");
  if (!url) return url.error();
  const Origin origin(*url);
  const std::int64_t time = std::time(nullptr);
  WebRequest request{
      .url = url->to_string(),
      .method = "POST",
      .headers = {{"Content-Type", "application/json"},
                  {"X-TC-Action", action},
                  {"X-TC-Version", kServiceVersion},
                  {"X-TC-Region", settings_.region},
                  {"X-TC-Language", "en-US"},
                  {"X-TC-Timestamp", std::to_string(time)}},
      .private_headers = {{"Authorization",
                           Secret(tc3_signature(keys, service, host, body, time), origin)}},
      .body = Secret(body, origin),
      .limit = kMaxLockRecordSize};
  if (!keys.token.empty()) {
    request.private_headers.push_back({"X-TC-Token", Secret(keys.token, origin)});
  }
  const auto reply = web_.ask(request);
  if (!reply) return reply.error();
  const auto document = net::parse_json_object(reply->body);
  const value::Value* response = document ? net::object_at(*document, "Response") : nullptr;
  if (reply->status != 200 || response == nullptr) {
    return base::Error{fmt::format("{} responded with status {}{}", host, reply->status,
                                   response == nullptr ? " and not with a response" : "")};
  }
  const value::Value* error = net::object_at(*response, "Error");
  return Answer{error == nullptr ? std::string() : text_at(*error, "Code"), *response};
}

base::Result<void> TencentAccess::find_keys() {
  if (keys_) return {};
  if (!settings_.role) {
    keys_ = settings_.keys;
    return {};
  }
  const TencentRole& role = *settings_.role;
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.field("RoleArn", role.arn);
  writer.field("RoleSessionName", role.session_name);
  writer.field("DurationSeconds", role.seconds);
  if (!role.policy.empty()) writer.field("Policy", base::escape_url(role.policy));
  writer.end_object();
  const auto answer = ask_as(settings_.keys, "sts", "AssumeRole", body);
  if (!answer) return answer.error();
  if (!answer->code.empty()) {
    return base::Error{fmt::format("the role {:?} cannot be assumed: {}", role.arn, answer->code)};
  }
  const value::Value* found = net::object_at(answer->response, "Credentials");
  TencentKeys keys;
  if (found != nullptr) {
    keys = {text_at(*found, "TmpSecretId"), text_at(*found, "TmpSecretKey"),
            text_at(*found, "Token")};
  }
  if (keys.id.empty() || keys.secret.empty()) {
    return base::Error{"the answer to a request for keys of a role has none"};
  }
  keys_ = std::move(keys);
  return {};
}

base::Result<TencentAccess::Answer> TencentAccess::ask_service(const std::string& service,
                                                               const std::string& action,
                                                               const std::string& body) {
  for (bool is_second = false;; is_second = true) {
    if (auto ready = find_keys(); !ready) return ready.error();
    auto answer = ask_as(*keys_, service, action, body);
    const bool is_refused = answer && answer->code.starts_with("AuthFailure");
    if (!is_refused || is_second || !settings_.role) return answer;
    keys_.reset();  // they may have expired
  }
}

base::Result<WebReply> TencentAccess::ask_cos(WebRequest request, const base::Url& url) {
  const Origin origin(url);
  request.url = url.to_string();
  CosPairs signed_headers = {{"host", url.authority()}};
  for (const net::WebHeader& each : request.headers) {
    if (each.name.starts_with("x-cos-")) signed_headers.emplace_back(each.name, each.value);
  }
  for (bool is_second = false;; is_second = true) {
    if (auto ready = find_keys(); !ready) return ready.error();
    WebRequest sent = request;
    CosPairs headers = signed_headers;
    if (!keys_->token.empty()) {
      headers.emplace_back("x-cos-security-token", keys_->token);
      sent.private_headers.push_back({"x-cos-security-token", Secret(keys_->token, origin)});
    }
    const std::int64_t time = std::time(nullptr);
    const std::string span = fmt::format("{};{}", time, time + kSignatureSeconds);
    sent.private_headers.push_back(
        {"Authorization",
         Secret(cos_signature(*keys_, sent.method, url, std::move(headers), span), origin)});
    auto reply = web_.ask(sent);
    if (!reply || is_second || reply->status != 403 || !settings_.role) return reply;
    keys_.reset();  // they may have expired
  }
}

}  // namespace tofu::backends
