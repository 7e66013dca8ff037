#include "transport/azure_credentials.h"

#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/process.h"
#include "base/url.h"
#include "transport/git_program.h"
#include "transport/hashes.h"
#include "transport/json_fields.h"
#include "transport/json_web_token.h"

namespace tofu::transport {

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

base::Result<Secret> token_of(std::string_view body, const Origin& service,
                              std::string_view field = "access_token") {
  const auto document = parse_json_object(body);
  std::string token = document ? text_at(*document, field) : "";
  if (token.empty()) return base::Error{"the answer to a request for an Azure token has none"};
  return Secret(std::move(token), service);
}

base::Result<base::Url> token_url(const Cloud& cloud, const Client& client) {
  std::string authority = first_variable(cloud.environment, {"AZURE_AUTHORITY_HOST"});
  if (authority.empty()) authority = kAuthority;
  while (authority.ends_with('/')) authority.pop_back();
  return parse_web_url(
      fmt::format("{}/{}/oauth2/v2.0/token", authority, base::escape_url(client.tenant)));
}

base::Result<Secret> ask_entra(const Cloud& cloud, const Client& client, const base::Url& url,
                               base::UrlArguments proof, const Origin& service) {
  base::UrlArguments arguments = {{"client_id", client.id},
                                  {"grant_type", "client_credentials"},
                                  {"scope", client.resource + "/.default"}};
  for (auto& each : proof) arguments.push_back(std::move(each));
  const auto body =
      ask_service(cloud,
                  {.url = url.to_string(),
                   .method = "POST",
                   .headers = {{"Content-Type", "application/x-www-form-urlencoded"}},
                   .body = Secret(base::format_url_query(std::move(arguments)), Origin(url))},
                  kEntra);
  if (!body) return body.error();
  return token_of(*body, service);
}

base::Result<Secret> by_assertion(const Cloud& cloud, const Client& client, const base::Url& url,
                                  std::string assertion, const Origin& service) {
  return ask_entra(cloud, client, url,
                   {{"client_assertion_type", std::string(kAssertionType)},
                    {"client_assertion", std::move(assertion)}},
                   service);
}

base::Result<Secret> by_certificate(const Cloud& cloud, const Client& client, const base::Url& url,
                                    const std::string& path, const Origin& service) {
  const auto pem = read_credentials_file(path);
  if (!pem) return pem.error();
  const auto thumbprint = certificate_sha1(*pem);
  if (!thumbprint) return base::Error{fmt::format("{:?}: {}", path, thumbprint.error().what)};
  const auto assertion =
      signed_token({{"x5t", base64_url(*thumbprint)}},
                   {{"aud", url.to_string()},
                    {"iss", client.id},
                    {"sub", client.id},
                    {"jti", hex_digest(Hash::Sha256, *pem + std::to_string(std::time(nullptr)))}},
                   *pem, Origin(url));
  if (!assertion) return base::Error{fmt::format("{:?}: {}", path, assertion.error().what)};
  return by_assertion(cloud, client, url,
                      std::string(assertion->reveal_to(Origin(url)).value_or("")), service);
}

bool is_set_to(const Cloud& cloud, std::string_view name, bool wanted) {
  const std::string_view text = cloud.environment(name);
  return wanted ? text == "true" || text == "1" : text == "false" || text == "0";
}

// Nothing if the environment does not name a service principal.
base::Result<std::optional<Secret>> of_principal(const Cloud& cloud, const Client& client,
                                                 const Origin& service) {
  const std::string secret = variable(cloud, "CLIENT_SECRET");
  const std::string certificate = first_variable(
      cloud.environment, {"ARM_CLIENT_CERTIFICATE_PATH", "AZURE_CLIENT_CERTIFICATE_PATH"});
  const bool federated = !is_set_to(cloud, "ARM_USE_OIDC", false) ||
                         is_set_to(cloud, "ARM_USE_AKS_WORKLOAD_IDENTITY", true);
  const std::string token_file =
      !federated ? ""
                 : first_variable(cloud.environment,
                                  {"ARM_OIDC_TOKEN_FILE_PATH", "AZURE_FEDERATED_TOKEN_FILE"});
  const bool any = !secret.empty() || !certificate.empty() || !token_file.empty();
  if (client.tenant.empty() || client.id.empty() || !any) return std::optional<Secret>();
  const auto url = token_url(cloud, client);
  if (!url) return url.error();
  base::Result<Secret> token = base::Error{"it was not asked for"};
  if (!secret.empty()) {
    token = ask_entra(cloud, client, *url, {{"client_secret", secret}}, service);
  } else if (!certificate.empty()) {
    token = by_certificate(cloud, client, *url, certificate, service);
  } else {
    auto text = read_credentials_file(token_file);
    if (!text) return std::move(text).error();
    token = by_assertion(cloud, client, *url, std::move(*text), service);
  }
  if (!token) return std::move(token).error();
  return std::optional(std::move(*token));
}

// The identity endpoint of App Service, or the metadata service of a virtual machine.
base::Result<std::optional<Secret>> of_machine(const Cloud& cloud, const Client& client,
                                               const Origin& service) {
  std::string address(cloud.environment("IDENTITY_ENDPOINT"));
  const std::string header(cloud.environment("IDENTITY_HEADER"));
  const bool app_service = !address.empty() && !header.empty();
  if (!app_service) {
    address = first_variable(cloud.environment, {"ARM_MSI_ENDPOINT"});
    if (address.empty()) address = "http://169.254.169.254/metadata/identity/oauth2/token";
  }
  auto url = parse_web_url(address);
  if (!url) return std::move(url).error();
  base::UrlArguments arguments = {{"api-version", app_service ? "2019-08-01" : "2018-02-01"},
                                  {"resource", client.resource}};
  if (!client.id.empty()) arguments.emplace_back("client_id", client.id);
  url->query = base::format_url_query(std::move(arguments));
  WebRequest request = machine_request(url->to_string());
  if (app_service) {
    request.private_headers = {{"X-IDENTITY-HEADER", Secret(header, Origin(*url))}};
  } else {
    request.headers = {{"Metadata", "true"}};
  }
  const auto body = ask_service(cloud, request, "the managed identity of this machine");
  if (!body && app_service) return body.error();
  if (!body) return std::optional<Secret>();
  auto token = token_of(*body, service);
  if (!token) return std::move(token).error();
  return std::optional(std::move(*token));
}

base::Result<Secret> of_command_line(const Cloud& cloud, const Client& client,
                                     const Origin& service) {
  base::GuardedProcess process{
      {"az", "account", "get-access-token", "--output", "json", "--resource", client.resource}};
  if (!client.tenant.empty()) {
    process.arguments.insert(process.arguments.end(), {"--tenant", client.tenant});
  }
  process.output_limit = 1 << 20;
  process.deadline = std::chrono::minutes(1);
  process.stop = cloud.stop;
  const auto ran = base::run_guarded(process);
  if (!ran || ran->exit_status != 0) {
    return base::Error{fmt::format(
        "no Azure credentials were found: no service principal in the environment, no managed "
        "identity, and the Azure command line has no login ({}); run `az login`",
        ran ? redact(ran->errors, {}) : ran.error().what)};
  }
  return token_of(ran->output, service, "accessToken");
}

}  // namespace

base::Result<Secret> find_azure_token(const Cloud& cloud, const Origin& service,
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

}  // namespace tofu::transport
