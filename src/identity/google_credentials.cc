#include "identity/google_credentials.h"

#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "identity/google_subject.h"
#include "identity/json_web_token.h"
#include "net/json_fields.h"

namespace tofu::identity {

namespace {

using value::Value;

constexpr const char* kTokenServer = "https://oauth2.googleapis.com/token";
constexpr std::string_view kTokenServerName = "Google's token server";
constexpr unsigned kMaxSources = 4;  // impersonated accounts that name each other

struct TokenRequest {
  net::Origin service;
  std::string scope;
};

// {"access_token":"…"}, or another name of the field.
base::Result<net::Secret> token_of(std::string_view body, const net::Origin& service,
                                   std::string_view field = "access_token") {
  const auto document = net::parse_json_object(body);
  std::string token = document ? net::text_at(*document, field) : "";
  if (token.empty()) return base::Error{"the answer to a request for a token has no token"};
  return net::Secret(std::move(token), service);
}

base::Result<base::Url> url_at(const Value& document, std::string_view field, const char* usual) {
  std::string text = net::text_at(document, field);
  if (text.empty()) text = usual;
  auto url = net::parse_web_url(text);
  if (!url) return base::Error{fmt::format("its {} cannot be used: {}", field, url.error().what)};
  return url;
}

base::Result<std::string> post_form(const Cloud& cloud, const base::Url& url, net::Secret form) {
  return ask_service(cloud,
                     {.url = url.to_string(),
                      .method = "POST",
                      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                      .body = std::move(form)},
                     kTokenServerName);
}

base::Result<net::Secret> of_service_account(const Cloud& cloud, const Value& file,
                                             const TokenRequest& token_request) {
  const auto url = url_at(file, "token_uri", kTokenServer);
  if (!url) return url.error();
  const net::Origin server(*url);
  const auto assertion = signed_token({{"kid", net::text_at(file, "private_key_id")}},
                                      {{"iss", net::text_at(file, "client_email")},
                                       {"scope", token_request.scope},
                                       {"aud", url->to_string()}},
                                      net::text_at(file, "private_key"), server);
  if (!assertion) return assertion.error();
  const net::Secret form = assertion->derived([](std::string_view token) {
    return base::format_url_query({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                                   {"assertion", std::string(token)}});
  });
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  return token_of(*body, token_request.service);
}

base::Result<net::Secret> of_user(const Cloud& cloud, const Value& file,
                                  const TokenRequest& token_request) {
  const auto url = url_at(file, "token_uri", kTokenServer);
  if (!url) return url.error();
  const net::Secret form(
      base::format_url_query({{"grant_type", "refresh_token"},
                              {"client_id", net::text_at(file, "client_id")},
                              {"client_secret", net::text_at(file, "client_secret")},
                              {"refresh_token", net::text_at(file, "refresh_token")}}),
      net::Origin(*url));
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  return token_of(*body, token_request.service);
}

// Exchanges a token for one of a service account: its address ends with
// :generateAccessToken.
base::Result<net::Secret> impersonated(const Cloud& cloud, const net::Secret& token,
                                       const base::Url& url, const TokenRequest& token_request) {
  std::string body;
  base::JsonWriter json(body);
  json.begin_object();
  json.key("scope");
  json.begin_array();
  json.string(token_request.scope);
  json.end_array();
  json.end_object();
  const auto answer =
      ask_service(cloud,
                  {.url = url.to_string(),
                   .method = "POST",
                   .headers = {{"Content-Type", "application/json"}},
                   .private_headers = {{"Authorization",
                                        net::bearer_token(token.rescoped_to(net::Origin(url)))}},
                   .body = net::Secret(std::move(body), net::Origin(url))},
                  "Google's service for impersonation");
  if (!answer) return answer.error();
  return token_of(*answer, token_request.service, "accessToken");
}

base::Result<net::Secret> of_external_account(const Cloud& cloud, const Value& file,
                                              const TokenRequest& token_request) {
  auto subject = google_subject_token(cloud, file);
  if (!subject) return std::move(subject).error();
  const auto url = url_at(file, "token_url", "https://sts.googleapis.com/v1/token");
  if (!url) return url.error();
  const std::string account = net::text_at(file, "service_account_impersonation_url");
  const net::Secret form(
      base::format_url_query(
          {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
           {"audience", net::text_at(file, "audience")},
           {"scope", account.empty() ? token_request.scope
                                     : "https://www.googleapis.com/auth/cloud-platform"},
           {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
           {"subject_token_type", net::text_at(file, "subject_token_type")},
           {"subject_token", std::move(*subject)}}),
      net::Origin(*url));
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  auto token = token_of(*body, token_request.service);
  if (!token || account.empty()) return token;
  const auto service = url_at(file, "service_account_impersonation_url", "");
  if (!service) return service.error();
  return impersonated(cloud, *token, *service, token_request);
}

base::Result<net::Secret> of_document(const Cloud& cloud, const Value& file,
                                      const TokenRequest& token_request, unsigned depth = 0) {
  const std::string type = net::text_at(file, "type");
  if (type == "service_account") return of_service_account(cloud, file, token_request);
  if (type == "authorized_user") return of_user(cloud, file, token_request);
  if (type == "external_account") return of_external_account(cloud, file, token_request);
  if (type == "impersonated_service_account") {
    const Value* source = net::object_at(file, "source_credentials");
    if (source == nullptr || depth == kMaxSources) {
      return base::Error{"it has no usable source_credentials"};
    }
    const TokenRequest platform{token_request.service,
                                "https://www.googleapis.com/auth/cloud-platform"};
    const auto token = of_document(cloud, *source, platform, depth + 1);
    if (!token) return token;
    const auto url = url_at(file, "service_account_impersonation_url", "");
    if (!url) return url.error();
    return impersonated(cloud, *token, *url, token_request);
  }
  return base::Error{fmt::format("credentials of type {:?} are not supported", type)};
}

base::Result<std::optional<net::Secret>> of_text(const Cloud& cloud, std::string_view text,
                                                 std::string_view where,
                                                 const TokenRequest& token_request) {
  const auto document = net::parse_json_object(text);
  auto token = document ? of_document(cloud, *document, token_request)
                        : base::Result<net::Secret>(base::Error{"it is not a JSON object"});
  if (!token) {
    return base::Error{
        fmt::format("the Google credentials of {} cannot be used: {}", where, token.error().what)};
  }
  return std::optional(std::move(*token));
}

base::Result<std::optional<net::Secret>> of_file(const Cloud& cloud, const std::string& path,
                                                 const TokenRequest& token_request) {
  const auto text = read_credentials_file(path);
  if (!text) return text.error();
  return of_text(cloud, *text, path, token_request);
}

// Only machines of Google have it; others do not know the name.
base::Result<std::optional<net::Secret>> of_machine(const Cloud& cloud,
                                                    const TokenRequest& token_request) {
  std::string host(cloud.environment("GCE_METADATA_HOST"));
  if (host.empty()) host = "metadata.google.internal";
  net::WebRequest request = machine_request(
      fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/token?{}", host,
                  base::format_url_query({{"scopes", token_request.scope}})));
  request.headers = {{"Metadata-Flavor", "Google"}};
  const auto body = ask_service(cloud, request, "the metadata server");
  if (!body) return std::optional<net::Secret>();
  auto token = token_of(*body, token_request.service);
  if (!token) return std::move(token).error();
  return std::optional(std::move(*token));
}

}  // namespace

base::Result<std::optional<net::Secret>> find_google_token(const Cloud& cloud,
                                                           const net::Origin& service,
                                                           const std::string& scope) {
  const TokenRequest token_request{service, scope};
  const std::string token(cloud.environment("GOOGLE_OAUTH_ACCESS_TOKEN"));
  if (!token.empty()) return std::optional(net::Secret(token, service));
  const std::string given(cloud.environment("GOOGLE_CREDENTIALS"));
  if (given.find('{') != std::string::npos) {
    return of_text(cloud, given, "GOOGLE_CREDENTIALS", token_request);
  }
  const std::string path =
      first_variable(cloud.environment, {"GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"});
  if (!path.empty()) return of_file(cloud, path, token_request);
  std::string usual(cloud.environment("CLOUDSDK_CONFIG"));
  if (usual.empty()) usual = in_home(cloud.environment, ".config/gcloud");
  usual += "/application_default_credentials.json";
  const auto kind = base::file_kind(usual);
  if (kind && *kind == base::FileKind::Regular) return of_file(cloud, usual, token_request);
  return of_machine(cloud, token_request);
}

}  // namespace tofu::identity
