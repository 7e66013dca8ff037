#include "transport/google_credentials.h"

#include <fmt/format.h>
#include <utility>

#include "base/file.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "transport/google_subject.h"
#include "transport/json_fields.h"
#include "transport/json_web_token.h"

namespace tofu::transport {

namespace {

using value::Value;

constexpr const char* kTokenServer = "https://oauth2.googleapis.com/token";
constexpr std::string_view kTokenServerName = "Google's token server";
constexpr unsigned kMostSources = 4;  // impersonated accounts that name each other

struct Wanted {
  Origin service;
  std::string scope;
};

// {"access_token":"…"}, or another name of the field.
base::Result<Secret> token_of(std::string_view body, const Origin& service,
                              std::string_view field = "access_token") {
  const auto document = parse_json_object(body);
  std::string token = document ? text_at(*document, field) : "";
  if (token.empty()) return base::Error{"the answer to a request for a token has no token"};
  return Secret(std::move(token), service);
}

base::Result<base::Url> url_at(const Value& document, std::string_view field, const char* usual) {
  std::string text = text_at(document, field);
  if (text.empty()) text = usual;
  auto url = parse_web_url(text);
  if (!url) return base::Error{fmt::format("its {} cannot be used: {}", field, url.error().what)};
  return url;
}

base::Result<std::string> post_form(const Cloud& cloud, const base::Url& url, Secret form) {
  return ask_service(cloud,
                     {.url = url.to_string(),
                      .method = "POST",
                      .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                      .body = std::move(form)},
                     kTokenServerName);
}

base::Result<Secret> of_service_account(const Cloud& cloud, const Value& file,
                                        const Wanted& wanted) {
  const auto url = url_at(file, "token_uri", kTokenServer);
  if (!url) return url.error();
  const Origin server(*url);
  const auto assertion = signed_token(
      {{"kid", text_at(file, "private_key_id")}},
      {{"iss", text_at(file, "client_email")}, {"scope", wanted.scope}, {"aud", url->to_string()}},
      text_at(file, "private_key"), server);
  if (!assertion) return assertion.error();
  const Secret form = assertion->derived([](std::string_view token) {
    return base::format_url_query({{"grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"},
                                   {"assertion", std::string(token)}});
  });
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  return token_of(*body, wanted.service);
}

base::Result<Secret> of_user(const Cloud& cloud, const Value& file, const Wanted& wanted) {
  const auto url = url_at(file, "token_uri", kTokenServer);
  if (!url) return url.error();
  const Secret form(base::format_url_query({{"grant_type", "refresh_token"},
                                            {"client_id", text_at(file, "client_id")},
                                            {"client_secret", text_at(file, "client_secret")},
                                            {"refresh_token", text_at(file, "refresh_token")}}),
                    Origin(*url));
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  return token_of(*body, wanted.service);
}

// Exchanges a token for one of a service account: its address ends with
// :generateAccessToken.
base::Result<Secret> impersonated(const Cloud& cloud, const Secret& token, const base::Url& url,
                                  const Wanted& wanted) {
  std::string body;
  base::JsonWriter json(body);
  json.begin_object();
  json.key("scope");
  json.begin_array();
  json.string(wanted.scope);
  json.end_array();
  json.end_object();
  const auto answer = ask_service(
      cloud,
      {.url = url.to_string(),
       .method = "POST",
       .headers = {{"Content-Type", "application/json"}},
       .private_headers = {{"Authorization", bearer_token(token.entrusted_to(Origin(url)))}},
       .body = Secret(std::move(body), Origin(url))},
      "Google's service for impersonation");
  if (!answer) return answer.error();
  return token_of(*answer, wanted.service, "accessToken");
}

base::Result<Secret> of_external_account(const Cloud& cloud, const Value& file,
                                         const Wanted& wanted) {
  auto subject = google_subject_token(cloud, file);
  if (!subject) return std::move(subject).error();
  const auto url = url_at(file, "token_url", "https://sts.googleapis.com/v1/token");
  if (!url) return url.error();
  const std::string account = text_at(file, "service_account_impersonation_url");
  const Secret form(
      base::format_url_query(
          {{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
           {"audience", text_at(file, "audience")},
           {"scope",
            account.empty() ? wanted.scope : "https://www.googleapis.com/auth/cloud-platform"},
           {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
           {"subject_token_type", text_at(file, "subject_token_type")},
           {"subject_token", std::move(*subject)}}),
      Origin(*url));
  const auto body = post_form(cloud, *url, form);
  if (!body) return body.error();
  auto token = token_of(*body, wanted.service);
  if (!token || account.empty()) return token;
  const auto service = url_at(file, "service_account_impersonation_url", "");
  if (!service) return service.error();
  return impersonated(cloud, *token, *service, wanted);
}

base::Result<Secret> of_document(const Cloud& cloud, const Value& file, const Wanted& wanted,
                                 unsigned depth = 0) {
  const std::string type = text_at(file, "type");
  if (type == "service_account") return of_service_account(cloud, file, wanted);
  if (type == "authorized_user") return of_user(cloud, file, wanted);
  if (type == "external_account") return of_external_account(cloud, file, wanted);
  if (type == "impersonated_service_account") {
    const Value* source = object_at(file, "source_credentials");
    if (source == nullptr || depth == kMostSources) {
      return base::Error{"it has no usable source_credentials"};
    }
    const Wanted platform{wanted.service, "https://www.googleapis.com/auth/cloud-platform"};
    const auto token = of_document(cloud, *source, platform, depth + 1);
    if (!token) return token;
    const auto url = url_at(file, "service_account_impersonation_url", "");
    if (!url) return url.error();
    return impersonated(cloud, *token, *url, wanted);
  }
  return base::Error{fmt::format("credentials of type {:?} are not supported", type)};
}

base::Result<std::optional<Secret>> of_text(const Cloud& cloud, std::string_view text,
                                            std::string_view where, const Wanted& wanted) {
  const auto document = parse_json_object(text);
  auto token = document ? of_document(cloud, *document, wanted)
                        : base::Result<Secret>(base::Error{"it is not a JSON object"});
  if (!token) {
    return base::Error{
        fmt::format("the Google credentials of {} cannot be used: {}", where, token.error().what)};
  }
  return std::optional(std::move(*token));
}

base::Result<std::optional<Secret>> of_file(const Cloud& cloud, const std::string& path,
                                            const Wanted& wanted) {
  const auto text = read_credentials_file(path);
  if (!text) return text.error();
  return of_text(cloud, *text, path, wanted);
}

// Only machines of Google have it; others do not know the name.
base::Result<std::optional<Secret>> of_machine(const Cloud& cloud, const Wanted& wanted) {
  std::string host(cloud.environment("GCE_METADATA_HOST"));
  if (host.empty()) host = "metadata.google.internal";
  WebRequest request = machine_request(
      fmt::format("http://{}/computeMetadata/v1/instance/service-accounts/default/token?{}", host,
                  base::format_url_query({{"scopes", wanted.scope}})));
  request.headers = {{"Metadata-Flavor", "Google"}};
  const auto body = ask_service(cloud, request, "the metadata server");
  if (!body) return std::optional<Secret>();
  auto token = token_of(*body, wanted.service);
  if (!token) return std::move(token).error();
  return std::optional(std::move(*token));
}

}  // namespace

base::Result<std::optional<Secret>> find_google_token(const Cloud& cloud, const Origin& service,
                                                      const std::string& scope) {
  const Wanted wanted{service, scope};
  const std::string token(cloud.environment("GOOGLE_OAUTH_ACCESS_TOKEN"));
  if (!token.empty()) return std::optional(Secret(token, service));
  const std::string given(cloud.environment("GOOGLE_CREDENTIALS"));
  if (given.find('{') != std::string::npos) {
    return of_text(cloud, given, "GOOGLE_CREDENTIALS", wanted);
  }
  const std::string path =
      first_variable(cloud.environment, {"GOOGLE_CREDENTIALS", "GOOGLE_APPLICATION_CREDENTIALS"});
  if (!path.empty()) return of_file(cloud, path, wanted);
  std::string usual(cloud.environment("CLOUDSDK_CONFIG"));
  if (usual.empty()) usual = in_home(cloud.environment, ".config/gcloud");
  usual += "/application_default_credentials.json";
  const auto kind = base::file_kind(usual);
  if (kind && *kind == base::FileKind::Regular) return of_file(cloud, usual, wanted);
  return of_machine(cloud, wanted);
}

}  // namespace tofu::transport
