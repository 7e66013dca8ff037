// Single sign-on: keys for the token that `aws sso login` keeps in a file of the user's.
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "identity/aws_services.h"
#include "net/json_fields.h"

namespace tofu::identity {

namespace {

using value::Value;

constexpr const char* kNoToken = "no valid single sign-on token; run `aws sso login`";

struct Session {
  std::string region;
  std::string account;
  std::string role;
  std::string cache;  // the file with the token
};

base::Result<Session> session_of(const Cloud& cloud, const AwsConfig& config,
                                 const AwsConfig::Section& profile) {
  const std::string name = setting(profile, "sso_session");
  const AwsConfig::Section* session = name.empty() ? &profile : config.sso_session(name);
  if (session == nullptr) {
    return base::Error{fmt::format("the AWS configuration has no sso-session {:?}", name)};
  }
  const std::string key = name.empty() ? setting(*session, "sso_start_url") : name;
  Session found{setting(*session, "sso_region"), setting(profile, "sso_account_id"),
                setting(profile, "sso_role_name"), ""};
  if (found.region.empty() || found.role.empty() || key.empty()) {
    return base::Error{
        "single sign-on of AWS needs sso_region, sso_role_name, sso_account_id and an sso_session "
        "or sso_start_url"};
  }
  found.cache = in_home(cloud.environment, fmt::format(".aws/sso/cache/{}.json",
                                                       base::hex_digest(base::Hash::Sha1, key)));
  return found;
}

std::string json_object(std::initializer_list<std::pair<std::string_view, std::string>> fields) {
  std::string text;
  base::JsonWriter json(text);
  json.begin_object();
  for (const auto& [name, content] : fields) {
    json.key(name);
    json.string(content);
  }
  json.end_object();
  return text;
}

// The cached document with new tokens: a refresh token is often good for one use, so the
// next program has to find the new one.
void keep(const Session& session, const Value& cached, const Value& renewed,
          const std::string& token) {
  const value::Value* seconds = renewed.unmarked().find("expiresIn");
  const bool is_number = seconds != nullptr && seconds->kind() == value::Kind::Number;
  const auto valid = is_number ? seconds->unmarked().as_number().to_int64() : std::nullopt;
  const std::time_t expires = std::time(nullptr) + static_cast<std::time_t>(valid.value_or(0));
  std::string refresh = net::text_at(renewed, "refreshToken");
  if (refresh.empty()) refresh = net::text_at(cached, "refreshToken");
  const std::string text =
      json_object({{"startUrl", net::text_at(cached, "startUrl")},
                   {"region", net::text_at(cached, "region")},
                   {"accessToken", token},
                   {"expiresAt", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(expires))},
                   {"clientId", net::text_at(cached, "clientId")},
                   {"clientSecret", net::text_at(cached, "clientSecret")},
                   {"registrationExpiresAt", net::text_at(cached, "registrationExpiresAt")},
                   {"refreshToken", std::move(refresh)}});
  // The keys of this run do not depend on it; the next `aws sso login` mends the file.
  static_cast<void>(base::write_private_file(session.cache, text));
}

base::Result<std::string> renewed_token(const Cloud& cloud, const Session& session,
                                        const Value& cached) {
  const std::string refresh = net::text_at(cached, "refreshToken");
  if (refresh.empty() || has_expired(net::text_at(cached, "registrationExpiresAt"))) {
    return base::Error{kNoToken};
  }
  auto url = aws_endpoint(cloud, {"AWS_ENDPOINT_URL_SSO_OIDC", "AWS_ENDPOINT_URL"},
                          fmt::format("https://oidc.{}.amazonaws.com", session.region));
  if (!url) return url.error();
  url->path = "/token";
  const net::WebRequest request{
      .url = url->to_string(),
      .method = "POST",
      .headers = {{"Content-Type", "application/json"}},
      .body = net::Secret(json_object({{"clientId", net::text_at(cached, "clientId")},
                                       {"clientSecret", net::text_at(cached, "clientSecret")},
                                       {"grantType", "refresh_token"},
                                       {"refreshToken", refresh}}),
                          net::Origin(*url))};
  const auto body = ask_service(cloud, request, "single sign-on of AWS, for a new token,");
  if (!body) return base::Error{fmt::format("{}; {}", body.error().what, kNoToken)};
  const auto renewed = net::parse_json_object(*body);
  std::string token = renewed ? net::text_at(*renewed, "accessToken") : "";
  if (token.empty()) return base::Error{kNoToken};
  keep(session, cached, *renewed, token);
  return token;
}

base::Result<std::string> sso_token(const Cloud& cloud, const Session& session) {
  const auto text = read_credentials_file(session.cache);
  const auto cached = text ? net::parse_json_object(*text) : std::nullopt;
  if (!cached) return base::Error{kNoToken};
  std::string token = net::text_at(*cached, "accessToken");
  if (!token.empty() && !has_expired(net::text_at(*cached, "expiresAt"))) return token;
  return renewed_token(cloud, session, *cached);
}

}  // namespace

base::Result<AwsKeys> sso_keys(const Cloud& cloud, const AwsConfig& config,
                               const AwsConfig::Section& profile) {
  const auto session = session_of(cloud, config, profile);
  if (!session) return session.error();
  const auto token = sso_token(cloud, *session);
  if (!token) return token.error();
  auto url = aws_endpoint(cloud, {"AWS_ENDPOINT_URL_SSO", "AWS_ENDPOINT_URL"},
                          fmt::format("https://portal.sso.{}.amazonaws.com", session->region));
  if (!url) return url.error();
  url->path = "/federation/credentials";
  url->query =
      base::format_url_query({{"account_id", session->account}, {"role_name", session->role}});
  const net::WebRequest request{
      .url = url->to_string(),
      .private_headers = {{"x-amz-sso_bearer_token", net::Secret(*token, net::Origin(*url))}}};
  const auto body = ask_service(cloud, request, "single sign-on of AWS");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  const Value* keys = document ? net::object_at(*document, "roleCredentials") : nullptr;
  if (keys == nullptr) return base::Error{"the answer of single sign-on has no credentials"};
  return whole_keys("single sign-on of AWS", net::text_at(*keys, "accessKeyId"),
                    net::text_at(*keys, "secretAccessKey"), net::text_at(*keys, "sessionToken"));
}

}  // namespace tofu::identity
