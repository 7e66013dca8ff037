#include "backends/azure_access.h"

#include <algorithm>
#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <utility>

#include "backends/remote.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/hashes.h"
#include "base/url.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

constexpr const char* kVersion = "2022-11-02";  // of the service's protocol

bool is_account_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789";
  return name.size() >= 3 && name.size() <= 24 &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

// The clouds that are known by name: the domain of storage, and the service that manages.
bool set_environment(std::string_view name, AzureAccessSettings& azure) {
  const std::string cloud = base::ascii_lower(name);
  if (cloud.empty() || cloud == "public" || cloud == "azurepubliccloud") {
    azure.domain = "core.windows.net";
    azure.management = "https://management.azure.com";
  } else if (cloud == "usgovernment" || cloud == "usgovernmentl4" || cloud == "usgovernmentl5" ||
             cloud == "azureusgovernmentcloud") {
    azure.domain = "core.usgovcloudapi.net";
    azure.management = "https://management.usgovcloudapi.net";
    azure.variables.try_emplace("AZURE_AUTHORITY_HOST", "https://login.microsoftonline.us");
  } else if (cloud == "china" || cloud == "azurechinacloud") {
    azure.domain = "core.chinacloudapi.cn";
    azure.management = "https://management.chinacloudapi.cn";
    azure.variables.try_emplace("AZURE_AUTHORITY_HOST", "https://login.chinacloudapi.cn");
  } else {
    return false;
  }
  return true;
}

// Settings that say who this is, and the variables that say the same.
void read_identity(const Settings& settings, AzureAccessSettings& azure) {
  static constexpr std::pair<const char*, const char*> kSame[] = {
      {"client_id", "ARM_CLIENT_ID"},
      {"client_secret", "ARM_CLIENT_SECRET"},
      {"client_certificate", "ARM_CLIENT_CERTIFICATE"},
      {"client_certificate_password", "ARM_CLIENT_CERTIFICATE_PASSWORD"},
      {"client_certificate_path", "ARM_CLIENT_CERTIFICATE_PATH"},
      {"tenant_id", "ARM_TENANT_ID"},
      {"oidc_token", "ARM_OIDC_TOKEN"},
      {"oidc_token_file_path", "ARM_OIDC_TOKEN_FILE_PATH"},
      {"oidc_request_url", "ARM_OIDC_REQUEST_URL"},
      {"oidc_request_token", "ARM_OIDC_REQUEST_TOKEN"},
      {"ado_service_connection_id", "ARM_ADO_PIPELINE_SERVICE_CONNECTION_ID"},
      {"msi_endpoint", "ARM_MSI_ENDPOINT"},
  };
  for (const auto& [name, variable] : kSame) {
    if (const std::string text = settings.text(name); !text.empty()) {
      azure.variables[variable] = text;
    }
  }
  static constexpr std::pair<const char*, const char*> kWays[] = {
      {"use_msi", "ARM_USE_MSI"},
      {"use_oidc", "ARM_USE_OIDC"},
      {"use_aks_workload_identity", "ARM_USE_AKS_WORKLOAD_IDENTITY"},
      {"use_cli", "ARM_USE_CLI"},
  };
  for (const auto& [name, variable] : kWays) {
    if (settings.has(name)) azure.variables[variable] = settings.flag(name) ? "true" : "false";
  }
  static constexpr std::pair<const char*, const char*> kFiles[] = {
      {"client_id_file_path", "ARM_CLIENT_ID"}, {"client_secret_file_path", "ARM_CLIENT_SECRET"}};
  for (const auto& [name, variable] : kFiles) {
    const std::string path = settings.text(
        name,
        {name == kFiles[0].first ? "ARM_CLIENT_ID_FILE_PATH" : "ARM_CLIENT_SECRET_FILE_PATH"});
    if (path.empty()) continue;
    auto text = identity::read_credentials_file(path);
    if (text) {
      azure.variables[variable] = std::move(*text);
    } else {
      settings.refuse(name, text.error().what);
    }
  }
}

}  // namespace

std::vector<SettingSchema> azure_setting_schemas() {
  using value::Type;
  const Type flag = Type::boolean();
  return {
      {.name = "storage_account_name", .about = "The storage account."},
      {.name = "environment", .about = "The cloud: public, usgovernment or china."},
      {.name = "metadata_host", .about = "A host that knows the addresses of the cloud."},
      {.name = "access_key", .about = "The key of the storage account.", .sensitive = true},
      {.name = "sas_token", .about = "A shared access signature.", .sensitive = true},
      {.name = "resource_group_name", .about = "The resource group of the storage account."},
      {.name = "subscription_id", .about = "Its subscription."},
      {.name = "tenant_id", .about = "The tenant."},
      {.name = "client_id", .about = "The service principal."},
      {.name = "client_id_file_path", .about = "A file with its ID."},
      {.name = "client_secret", .about = "Its secret.", .sensitive = true},
      {.name = "client_secret_file_path", .about = "A file with its secret."},
      {.name = "client_certificate",
       .about = "Its certificate and key, PKCS #12 in base64.",
       .sensitive = true},
      {.name = "client_certificate_password", .sensitive = true},
      {.name = "client_certificate_path", .about = "A file with its certificate and key."},
      {.name = "use_msi", .type = flag, .about = "Whether to use the identity of the machine."},
      {.name = "msi_endpoint", .deprecated = true},
      {.name = "use_oidc", .type = flag, .about = "Whether to use a federated token."},
      {.name = "oidc_token", .about = "The federated token.", .sensitive = true},
      {.name = "oidc_token_file_path", .about = "A file with it."},
      {.name = "oidc_request_url", .about = "Where it is asked for."},
      {.name = "oidc_request_token",
       .about = "The bearer token for requesting the OIDC token.",
       .sensitive = true},
      {.name = "ado_service_connection_id"},
      {.name = "use_aks_workload_identity", .type = flag},
      {.name = "use_azuread_auth",
       .type = flag,
       .about = "Whether blobs are reached with a token of Microsoft Entra ID."},
      {.name = "use_cli", .type = flag, .about = "Whether the Azure command line may be asked."},
      {.name = "timeout_seconds", .type = Type::number(), .about = "How long a request may take."},
      {.name = "endpoint", .deprecated = true},
  };
}

AzureAccessSettings read_azure_settings(const Settings& settings) {
  AzureAccessSettings azure;
  azure.account = settings.needed_text("storage_account_name");
  if (!azure.account.empty() && !is_account_name(azure.account)) {
    settings.refuse("storage_account_name", "it has 3 to 24 small letters and digits");
  }
  azure.metadata_host = settings.text("metadata_host", {"ARM_METADATA_HOST"});
  const std::string environment = settings.text("environment", {"ARM_ENVIRONMENT"});
  if (settings.has("metadata_host") && settings.has("environment")) {
    settings.refuse("metadata_host", "it excludes \"environment\"");
  }
  if (azure.metadata_host.empty() && !set_environment(environment, azure)) {
    settings.refuse("environment", "it is not one of public, usgovernment and china");
  }
  if (const std::string key = settings.text("access_key", {"ARM_ACCESS_KEY"}); !key.empty()) {
    auto bytes = base::base64_decode(key);
    if (bytes) {
      azure.access_key = std::move(*bytes);
    } else {
      settings.refuse("access_key", "it is not base64");
    }
  }
  azure.sas_token = settings.text("sas_token", {"ARM_SAS_TOKEN"});
  if (azure.sas_token.starts_with('?')) azure.sas_token.erase(0, 1);
  azure.use_entra = settings.flag("use_azuread_auth", {"ARM_USE_AZUREAD"});
  azure.resource_group = settings.text("resource_group_name");
  azure.subscription = settings.text("subscription_id", {"ARM_SUBSCRIPTION_ID"});
  azure.timeout_seconds = settings.number("timeout_seconds", {"ARM_TIMEOUT_SECONDS"}, 300);
  if (azure.timeout_seconds < 0 || azure.timeout_seconds > 86400) {
    settings.refuse("timeout_seconds", "it is out of range");
  }
  read_identity(settings, azure);
  return azure;
}

AzureAccess::AzureAccess(AzureAccessSettings settings, const BackendContext& context)
    : settings_(std::move(settings)),
      environment_(environment_with(settings_.variables, context.environment)),
      web_(
          [&] {
            net::WebOptions options = backend_web_options(context);
            options.retries = 4;
            if (settings_.timeout_seconds > 0) {
              options.answer_timeout = std::chrono::seconds(settings_.timeout_seconds);
            }
            return options;
          }(),
          no_cancellation()),
      cloud_{web_, environment_, no_cancellation()} {}

base::Result<std::string> AzureAccess::ask_domain() {
  const auto url = net::parse_web_url(
      fmt::format("https://{}/metadata/endpoints?api-version=2022-09-01", settings_.metadata_host));
  if (!url) return url.error();
  const auto body = identity::ask_service(cloud_, {.url = url->to_string()},
                                          "the metadata host of the Azure cloud");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  const value::Value* suffixes = document ? net::object_at(*document, "suffixes") : nullptr;
  std::string domain = suffixes == nullptr ? std::string() : net::text_at(*suffixes, "storage");
  if (domain.empty()) return base::Error{"the metadata host knows no domain of storage"};
  settings_.management = net::text_at(*document, "resourceManager");
  const value::Value* login = net::object_at(*document, "authentication");
  if (login != nullptr && !net::text_at(*login, "loginEndpoint").empty()) {
    settings_.variables.try_emplace("AZURE_AUTHORITY_HOST", net::text_at(*login, "loginEndpoint"));
  }
  while (settings_.management.ends_with('/')) settings_.management.pop_back();
  return domain;
}

base::Result<base::Url> AzureAccess::endpoint() {
  if (endpoint_) return *endpoint_;
  std::string domain = settings_.domain;
  if (domain.empty()) {
    auto found = ask_domain();
    if (!found) return std::move(found).error();
    domain = std::move(*found);
  }
  auto url = net::parse_web_url(fmt::format("https://{}.blob.{}", settings_.account, domain));
  if (!url) return url;
  url->path.clear();
  endpoint_ = *url;
  return url;
}

// The key of the account, asked for with a token.
base::Result<void> AzureAccess::ask_key() {
  if (settings_.subscription.empty() || settings_.resource_group.empty()) {
    return base::Error{
        "neither access_key nor sas_token is set, and use_azuread_auth is not set; reading the "
        "storage account's key requires resource_group_name and subscription_id"};
  }
  const auto url = net::parse_web_url(fmt::format(
      "{}/subscriptions/{}/resourceGroups/{}/providers/Microsoft.Storage/storageAccounts/{}/"
      "listKeys?api-version=2023-01-01",
      settings_.management, base::escape_url(settings_.subscription),
      base::escape_url(settings_.resource_group), settings_.account));
  if (!url) return url.error();
  const auto token = identity::find_azure_token(cloud_, net::Origin(*url), settings_.management);
  if (!token) return token.error();
  const auto body =
      identity::ask_service(cloud_,
                            {.url = url->to_string(),
                             .method = "POST",
                             .private_headers = {{"Authorization", net::bearer_token(*token)}}},
                            "the service that has the key of the storage account");
  if (!body) return body.error();
  const auto document = net::parse_json_object(*body);
  const value::Value* keys = document ? document->unmarked().find("keys") : nullptr;
  if (keys != nullptr && keys->kind() == value::Kind::Tuple && !keys->unmarked().items().empty()) {
    auto bytes = base::base64_decode(net::text_at(keys->unmarked().items()[0], "value"));
    if (bytes && !bytes->empty()) {
      settings_.access_key = std::move(*bytes);
      return {};
    }
  }
  return base::Error{"the storage account's list of keys is empty"};
}

base::Result<void> AzureAccess::prepare() {
  if (!settings_.access_key.empty() || !settings_.sas_token.empty() || token_) return {};
  const auto url = endpoint();
  if (!url) return url.error();
  if (!settings_.use_entra) return ask_key();
  auto token = identity::find_azure_token(cloud_, net::Origin(*url), "https://storage.azure.com");
  if (!token) return std::move(token).error();
  token_ = std::move(*token);
  return {};
}

std::string shared_key_signature(const std::string& account, std::string_view key,
                                 const net::WebRequest& request, const base::Url& url,
                                 std::size_t body_size) {
  std::map<std::string, std::string> service;  // headers that begin with x-ms-
  std::map<std::string, std::string> usual;
  const auto add = [&](const std::string& name, std::string_view value) {
    const std::string small = base::ascii_lower(name);
    (small.starts_with("x-ms-") ? service : usual)[small] = value;
  };
  for (const net::WebHeader& each : request.headers) add(each.name, each.value);
  for (const net::SecretHeader& each : request.private_headers) {
    add(each.name, each.value.reveal_to(net::Origin(url)).value_or(""));
  }
  std::string text = request.method + "\n";
  usual["content-length"] = body_size == 0 ? "" : std::to_string(body_size);
  for (const char* name :
       {"content-encoding", "content-language", "content-length", "content-md5", "content-type",
        "date", "if-modified-since", "if-match", "if-none-match", "if-unmodified-since", "range"}) {
    text += usual[name] + "\n";
  }
  for (const auto& [name, value] : service) text += name + ":" + value + "\n";
  text += "/" + account + url.path;
  auto arguments = base::parse_url_query(url.query);
  std::ranges::sort(arguments);
  for (const auto& [name, value] : arguments) text += "\n" + base::ascii_lower(name) + ":" + value;
  return fmt::format("SharedKey {}:{}", account, base::base64_encode(base::hmac_sha256(key, text)));
}

base::Result<net::WebReply> AzureAccess::ask(net::WebRequest request, base::Url url) {
  for (bool is_second = false;; is_second = true) {
    if (auto ready = prepare(); !ready) return ready.error();
    net::WebRequest authorized = request;
    base::Url target = url;
    const net::Origin origin(target);
    const std::size_t size = authorized.body.reveal_to(origin).value_or("").size();
    // libcurl adds a type of its own to what has none.
    if (authorized.method == "PUT" || authorized.method == "DELETE") {
      const bool has_type = std::ranges::any_of(
          authorized.headers, [](const auto& each) { return each.name == "Content-Type"; });
      if (!has_type) authorized.headers.push_back({"Content-Type", "application/json"});
    }
    authorized.headers.push_back({"x-ms-version", kVersion});
    authorized.headers.push_back({"x-ms-date", fmt::format("{:%a, %d %b %Y %H:%M:%S} GMT",
                                                           fmt::gmtime(std::time(nullptr)))});
    if (!settings_.access_key.empty()) {
      authorized.private_headers.push_back(
          {"Authorization",
           net::Secret(shared_key_signature(settings_.account, settings_.access_key, authorized,
                                            target, size),
                       origin)});
    } else if (token_) {
      authorized.private_headers.push_back({"Authorization", net::bearer_token(*token_)});
    } else {
      target.query += (target.query.empty() ? "" : "&") + settings_.sas_token;
    }
    authorized.url = target.to_string();
    auto reply = web_.ask(authorized);
    if (!reply || is_second || reply->status != 401 || !token_) return reply;
    token_.reset();  // it has expired
  }
}

}  // namespace tofu::backends
