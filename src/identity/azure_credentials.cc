#include "identity/azure_credentials.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/file.h"
#include "base/hashes.h"
#include "base/quotation.h"
#include "base/url.h"
#include "identity/json_web_token.h"
#include "identity/signing.h"
#include "net/json_fields.h"
#include "net/redaction.h"
#include "process/process.h"

namespace tofu::identity {

namespace {

constexpr const char* kAuthority = "https://login.microsoftonline.com";
constexpr std::string_view kAssertionType =
    "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
constexpr std::string_view kEntra = "Microsoft Entra ID";

// The service principal or identity that the environment names.
struct Client {
  std::string tenant;
  std::string id;
  std::string resource;
};

std::string variable(const Cloud& cloud, std::string_view name) {
  return first_variable(cloud.environment,
                        {fmt::format("ARM_{}", name), fmt::format("AZURE_{}", name)});
}

base::Result<net::Secret> token_of(std::string_view body, const net::Origin& service,
                                   std::string_view field = "access_token") {
  const auto document = net::parse_json_object(body);
  std::string token = document ? net::text_at(*document, field) : "";
  if (token.empty()) return base::Error{"the answer to a request for an Azure token has none"};
  return net::Secret(std::move(token), service);
}

base::Result<base::Url> token_url(const Cloud& cloud, const Client& client) {
  std::string authority = first_variable(cloud.environment, {"AZURE_AUTHORITY_HOST"});
  if (authority.empty()) authority = kAuthority;
  while (authority.ends_with('/')) authority.pop_back();
  return net::parse_web_url(
      fmt::format("{}/{}/oauth2/v2.0/token", authority, base::escape_url(client.tenant)));
}

base::Result<net::Secret> ask_entra(const Cloud& cloud, const Client& client, const base::Url& url,
                                    base::UrlArguments proof, const net::Origin& service) {
  base::UrlArguments arguments = {{"client_id", client.id},
                                  {"grant_type", "client_credentials"},
                                  {"scope", client.resource + "/.default"}};
  for (auto& each : proof) arguments.push_back(std::move(each));
  const auto body = ask_service(
      cloud,
      {.url = url.to_string(),
       .method = "POST",
       .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
       .body = net::Secret(base::format_url_query(std::move(arguments)), net::Origin(url))},
      kEntra);
  if (!body) return body.error();
  return token_of(*body, service);
}

base::Result<net::Secret> by_assertion(const Cloud& cloud, const Client& client,
                                       const base::Url& url, std::string assertion,
                                       const net::Origin& service) {
  return ask_entra(cloud, client, url,
                   {{"client_assertion_type", std::string(kAssertionType)},
                    {"client_assertion", std::move(assertion)}},
                   service);
}

base::Result<net::Secret> by_certificate(const Cloud& cloud, const Client& client,
                                         const base::Url& url, const std::string& pem,
                                         const net::Origin& service) {
  const auto thumbprint = certificate_sha1(pem);
  if (!thumbprint) return thumbprint.error();
  const auto assertion = signed_token(
      {{"x5t", base64_url(*thumbprint)}},
      {{"aud", url.to_string()},
       {"iss", client.id},
       {"sub", client.id},
       {"jti", base::hex_digest(base::Hash::Sha256, pem + std::to_string(std::time(nullptr)))}},
      pem, net::Origin(url));
  if (!assertion) return assertion.error();
  return by_assertion(cloud, client, url,
                      std::string(assertion->reveal_to(net::Origin(url)).value_or("")), service);
}

// The certificate of the service principal and its private key, in PEM; empty if there is
// none. It is given in base64 or in a file, which is PEM or, like the first, PKCS #12.
base::Result<std::string> certificate_of(const Cloud& cloud) {
  const std::string path = variable(cloud, "CLIENT_CERTIFICATE_PATH");
  const std::string given = variable(cloud, "CLIENT_CERTIFICATE");
  if (path.empty() && given.empty()) return std::string();
  const auto refuse = [](const std::string& why) {
    return base::Error{fmt::format("the client certificate cannot be used: {}", why)};
  };
  std::string bytes;
  if (!given.empty()) {
    auto decoded = base::base64_decode(given);
    if (!decoded) return refuse("it is not base64");
    bytes = std::move(*decoded);
  } else {
    auto text = base::read_file(path, kMaxCredentialsFileSize);
    if (!text) return refuse(fmt::format("{:?}: {}", path, text.error().what));
    bytes = std::move(*text);
  }
  if (bytes.find("-----BEGIN") != std::string::npos) return bytes;
  auto pem = pkcs12_to_pem(bytes, variable(cloud, "CLIENT_CERTIFICATE_PASSWORD"));
  if (!pem) return refuse(pem.error().what);
  return pem;
}

bool is_set_to(const Cloud& cloud, std::string_view name, bool wanted) {
  const std::string_view text = cloud.environment(name);
  return wanted ? text == "true" || text == "1" : text == "false" || text == "0";
}

// A federated token that a service of the pipeline gives out: GitHub's, or that of Azure
// DevOps, which has to know the service connection.
base::Result<std::string> ask_pipeline(const Cloud& cloud, const std::string& address,
                                       const std::string& password) {
  auto url = net::parse_web_url(address);
  if (!url) return std::move(url).error();
  const std::string connection =
      first_variable(cloud.environment, {"ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID",
                                         "ARM_OIDC_AZURE_SERVICE_CONNECTION_ID",
                                         "AZURESUBSCRIPTION_SERVICE_CONNECTION_ID"});
  base::UrlArguments arguments = base::parse_url_query(url->query);
  if (!connection.empty()) {
    arguments.emplace_back("api-version", "7.1");
    arguments.emplace_back("serviceConnectionId", connection);
  } else if (std::ranges::none_of(arguments,
                                  [](const auto& each) { return each.first == "audience"; })) {
    const std::string_view authority = cloud.environment("AZURE_AUTHORITY_HOST");
    std::string audience = "api://AzureADTokenExchange";
    if (authority.find("chinacloudapi.cn") != std::string_view::npos) audience += "China";
    if (authority.find("microsoftonline.us") != std::string_view::npos) audience += "USGov";
    arguments.emplace_back("audience", std::move(audience));
  }
  url->query = base::format_url_query(std::move(arguments));
  const auto body = ask_service(
      cloud,
      {.url = url->to_string(),
       .method = connection.empty() ? "GET" : "POST",
       .headers = {{"Accept", "application/json; api-version=2.0"},
                   {"Content-Type", "application/json"}},
       .private_headers = {{"Authorization",
                            net::bearer_token(net::Secret(password, net::Origin(*url)))}}},
      "the service that gives out federated tokens");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  std::string token = document ? net::text_at(*document, connection.empty() ? "value" : "oidcToken")
                               : std::string();
  if (token.empty()) return base::Error{"the answer to a request for a federated token has none"};
  return token;
}

// Empty if there is none.
base::Result<std::string> federated_token(const Cloud& cloud) {
  const bool is_wanted = !is_set_to(cloud, "ARM_USE_OIDC", false) ||
                         is_set_to(cloud, "ARM_USE_AKS_WORKLOAD_IDENTITY", true);
  if (!is_wanted) return std::string();
  if (std::string token(cloud.environment("ARM_OIDC_TOKEN")); !token.empty()) return token;
  const std::string path =
      first_variable(cloud.environment, {"ARM_OIDC_TOKEN_FILE_PATH", "AZURE_FEDERATED_TOKEN_FILE"});
  if (!path.empty()) return read_credentials_file(path);
  const std::string address = first_variable(
      cloud.environment,
      {"ARM_OIDC_REQUEST_URL", "ACTIONS_ID_TOKEN_REQUEST_URL", "SYSTEM_OIDCREQUESTURI"});
  const std::string password = first_variable(
      cloud.environment,
      {"ARM_OIDC_REQUEST_TOKEN", "ACTIONS_ID_TOKEN_REQUEST_TOKEN", "SYSTEM_ACCESSTOKEN"});
  // These are there in every pipeline, whether they are meant for this or not.
  const bool is_meant = is_set_to(cloud, "ARM_USE_OIDC", true);
  if (!is_meant || address.empty() || password.empty()) return std::string();
  return ask_pipeline(cloud, address, password);
}

// Nothing if the environment does not name a service principal.
base::Result<std::optional<net::Secret>> of_principal(const Cloud& cloud, const Client& client,
                                                      const net::Origin& service) {
  if (client.tenant.empty() || client.id.empty()) return std::optional<net::Secret>();
  const auto url = token_url(cloud, client);
  if (!url) return url.error();
  const auto found =
      [](base::Result<net::Secret> token) -> base::Result<std::optional<net::Secret>> {
    if (!token) return std::move(token).error();
    return std::optional(std::move(*token));
  };
  if (const std::string secret = variable(cloud, "CLIENT_SECRET"); !secret.empty()) {
    return found(ask_entra(cloud, client, *url, {{"client_secret", secret}}, service));
  }
  const auto certificate = certificate_of(cloud);
  if (!certificate) return certificate.error();
  if (!certificate->empty()) {
    return found(by_certificate(cloud, client, *url, *certificate, service));
  }
  auto token = federated_token(cloud);
  if (!token) return std::move(token).error();
  if (token->empty()) return std::optional<net::Secret>();
  return found(by_assertion(cloud, client, *url, std::move(*token), service));
}

// The identity endpoint of App Service, or the metadata service of a virtual machine.
base::Result<std::optional<net::Secret>> of_machine(const Cloud& cloud, const Client& client,
                                                    const net::Origin& service) {
  std::string address(cloud.environment("IDENTITY_ENDPOINT"));
  const std::string header(cloud.environment("IDENTITY_HEADER"));
  const bool app_service = !address.empty() && !header.empty();
  if (!app_service) {
    address = first_variable(cloud.environment, {"ARM_MSI_ENDPOINT"});
    if (address.empty()) address = "http://169.254.169.254/metadata/identity/oauth2/token";
  }
  auto url = net::parse_web_url(address);
  if (!url) return std::move(url).error();
  base::UrlArguments arguments = {{"api-version", app_service ? "2019-08-01" : "2018-02-01"},
                                  {"resource", client.resource}};
  if (!client.id.empty()) arguments.emplace_back("client_id", client.id);
  url->query = base::format_url_query(std::move(arguments));
  net::WebRequest request = machine_request(url->to_string());
  if (app_service) {
    request.private_headers = {{"X-IDENTITY-HEADER", net::Secret(header, net::Origin(*url))}};
  } else {
    request.headers = {{"Metadata", "true"}};
  }
  const auto body = ask_service(cloud, request, "the managed identity of this machine");
  if (!body && app_service) return body.error();
  if (!body) return std::optional<net::Secret>();
  auto token = token_of(*body, service);
  if (!token) return std::move(token).error();
  return std::optional(std::move(*token));
}

base::Result<net::Secret> of_command_line(const Cloud& cloud, const Client& client,
                                          const net::Origin& service) {
  process::GuardedProcess process{
      {"az", "account", "get-access-token", "--output", "json", "--resource", client.resource}};
  if (!client.tenant.empty()) {
    process.arguments.insert(process.arguments.end(), {"--tenant", client.tenant});
  }
  process.output_limit = 1 << 20;
  process.deadline = std::chrono::minutes(1);
  process.stop = cloud.stop;
  const auto ran = process::run_guarded(process);
  if (!ran || ran->exit_status != 0) {
    return base::Error{fmt::format(
        "no Azure credentials were found: no service principal in the environment, no managed "
        "identity, and the Azure command line has no login ({}); run `az login`",
        base::without_full_stop(ran ? net::redact(ran->errors, {}) : ran.error().what))};
  }
  return token_of(ran->output, service, "accessToken");
}

}  // namespace

base::Result<net::Secret> find_azure_token(const Cloud& cloud, const net::Origin& service,
                                           const std::string& resource) {
  const Client client{variable(cloud, "TENANT_ID"), variable(cloud, "CLIENT_ID"), resource};
  auto token = of_principal(cloud, client, service);
  if (!token) return std::move(token).error();
  if (*token) return std::move(**token);
  if (!is_set_to(cloud, "ARM_USE_MSI", false)) {
    token = of_machine(cloud, client, service);
    if (!token) return std::move(token).error();
    if (*token) return std::move(**token);
  }
  if (is_set_to(cloud, "ARM_USE_CLI", false)) {
    return base::Error{
        "no Azure credentials were found: no service principal in the environment and no managed "
        "identity, and the Azure command line is not to be asked"};
  }
  return of_command_line(cloud, client, service);
}

}  // namespace tofu::identity
