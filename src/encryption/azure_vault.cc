#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/json_layout.h"
#include "base/json_writer.h"
#include "encryption/ciphers.h"
#include "encryption/key_service.h"
#include "encryption/kinds.h"
#include "identity/azure_credentials.h"
#include "identity/json_web_token.h"
#include "net/json_fields.h"
#include "net/web_url.h"
#include "state/json_fields.h"

namespace tofu::encryption {

namespace {

using Kind = Argument::Kind;

constexpr std::array kArguments = {
    Argument{"use_cli", Kind::Flag},
    Argument{"client_id"},
    Argument{"client_id_file_path"},
    Argument{"client_secret"},
    Argument{"client_secret_file_path"},
    Argument{"client_certificate"},
    Argument{"client_certificate_password"},
    Argument{"client_certificate_path"},
    Argument{"use_oidc", Kind::Flag},
    Argument{"oidc_token"},
    Argument{"oidc_token_file_path"},
    Argument{"oidc_request_url"},
    Argument{"oidc_request_token"},
    Argument{"use_msi", Kind::Flag},
    Argument{"msi_endpoint"},
    Argument{"use_aks_workload_identity", Kind::Flag},
    Argument{"metadata_host"},
    Argument{"environment"},
    Argument{"subscription_id"},
    Argument{"tenant_id"},
    Argument{"vault_uri", Kind::Text, true},
    Argument{"vault_key_name", Kind::Text, true},
    Argument{"key_length", Kind::Number, true},
    Argument{"symmetric", Kind::Flag},
    Argument{"symmetric_key_size", Kind::Number},
};

constexpr std::string_view kVersion = "7.4";  // of the interface

struct VaultSettings {
  base::Url vault;
  std::string key_name;
  std::size_t key_length;
  std::string algorithm;
  std::string resource;  // that tokens are for
};

// Azure's metadata of a wrapped key, which unwrapping needs.
struct Wrapped {
  std::string ciphertext = {};
  std::string iv = {};
  std::string tag = {};
  std::string aad = {};
  std::string key_version = {};
  std::string algorithm = {};
};

std::string metadata_text(const Wrapped& wrapped) {
  std::string text;
  base::JsonWriter json(text);
  const auto bytes = [&](std::string_view name, const std::string& value) {
    json.key(name);
    if (value.empty()) return json.null();
    json.string(base::base64_encode(value));
  };
  json.begin_object();
  bytes("ciphertext", wrapped.ciphertext);
  bytes("iv", wrapped.iv);
  bytes("authentication_tag", wrapped.tag);
  bytes("additional_authenticated_data", wrapped.aad);
  json.field("key_version", wrapped.key_version);
  json.field("algo", wrapped.algorithm);
  json.end_object();
  return text;
}

base::Result<Wrapped> read_metadata(std::string_view metadata) {
  std::string compact;
  if (!base::append_compact_json(compact, metadata)) {
    return base::Error{"its metadata is not valid JSON"};
  }
  Wrapped wrapped;
  const std::pair<std::string_view, std::string*> bytes[] = {
      {"ciphertext", &wrapped.ciphertext},
      {"iv", &wrapped.iv},
      {"authentication_tag", &wrapped.tag},
      {"additional_authenticated_data", &wrapped.aad}};
  state::JsonFields fields(compact);
  fields.members("metadata", [&](std::string_view name) {
    for (const auto& [member, into] : bytes) {
      if (!state::is_field(name, member)) continue;
      std::string text;
      fields.text(member, text);
      auto decoded = base::base64_decode(text);
      if (!decoded) return fields.fail(member, "text in base64");
      *into = std::move(*decoded);
      return;
    }
    if (state::is_field(name, "key_version"))
      return fields.text("key_version", wrapped.key_version);
    if (state::is_field(name, "algo")) return fields.text("algo", wrapped.algorithm);
    fields.skip();
  });
  if (!fields.fault().empty()) return base::Error{"in its metadata, " + fields.fault()};
  return wrapped;
}

class AzureVault final : public KeyProvider {
 public:
  AzureVault(std::string storage_name, std::unique_ptr<KeyService> service, VaultSettings settings)
      : KeyProvider(std::move(storage_name)),
        service_(std::move(service)),
        settings_(std::move(settings)) {}

  std::optional<std::size_t> key_length() const override { return settings_.key_length; }

 protected:
  base::Result<NewKey> make_key() const override {
    auto key = random_key(settings_.key_length);
    if (!key) return key.error();
    const auto answer = ask("encrypt", {.algorithm = settings_.algorithm}, key->bytes());
    if (!answer) return answer.error();
    const auto document = net::parse_json_object(*answer);
    auto ciphertext = answer_bytes(*answer, {"value"});
    if (!document || !ciphertext) return base::Error{"the answer of Azure Key Vault has no value"};
    Wrapped wrapped{.ciphertext = std::move(*ciphertext), .algorithm = settings_.algorithm};
    const auto optional = [&](std::string_view member) {
      auto bytes = answer_bytes(*answer, {member});
      return bytes ? std::move(*bytes) : std::string();
    };
    wrapped.iv = optional("iv");
    wrapped.tag = optional("tag");
    wrapped.aad = optional("aad");
    // https://…/keys/NAME/VERSION
    const std::string id = net::text_at(*document, "kid");
    wrapped.key_version = id.substr(id.rfind('/') + 1);
    return NewKey{std::move(*key), {{storage_name(), metadata_text(wrapped)}}};
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    const auto found = metadata.find(storage_name());
    if (found == metadata.end()) return Key();
    auto wrapped = read_metadata(found->second);
    if (!wrapped) return wrapped.error();
    if (wrapped->ciphertext.empty()) return Key();
    if (wrapped->algorithm.empty()) wrapped->algorithm = settings_.algorithm;
    auto answer = ask("decrypt", *wrapped, wrapped->ciphertext);
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"value"});
    wipe(*answer);
    return key;
  }

 private:
  base::Result<std::string> ask(std::string_view action, const Wrapped& about,
                                std::string_view bytes) const {
    base::Url url = settings_.vault;
    while (url.path.ends_with('/')) url.path.pop_back();
    url.path += fmt::format("/keys/{}/", settings_.key_name);
    if (!about.key_version.empty()) url.path += base::escape_url(about.key_version) + "/";
    url.path += action;
    url.query = fmt::format("api-version={}", kVersion);
    const net::Origin origin(url);
    const auto token = identity::find_azure_token(service_->cloud(), origin, settings_.resource);
    if (!token) return token.error();
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.field("alg", about.algorithm);
    std::string text = identity::base64_url(bytes);
    json.field("value", text);
    wipe(text);
    if (!about.iv.empty()) json.field("iv", identity::base64_url(about.iv));
    if (!about.tag.empty()) json.field("tag", identity::base64_url(about.tag));
    if (!about.aad.empty()) json.field("aad", identity::base64_url(about.aad));
    json.end_object();
    net::WebRequest request{.url = url.to_string(), .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}};
    request.private_headers = {{"Authorization", net::bearer_token(*token)}};
    request.body = net::Secret(std::move(body), origin);
    return service_->ask(request, "Azure Key Vault");
  }

  const std::unique_ptr<KeyService> service_;
  const VaultSettings settings_;
};

bool is_word(std::string_view text) {
  return std::ranges::all_of(text,
                             [](char c) { return base::is_ascii_alphanumeric(c) || c == '-'; });
}

// The rules of Azure for the names of vaults; empty if it keeps them.
std::string fault_of_names(const VaultSettings& settings) {
  const std::string& key = settings.key_name;
  if (key.empty() || key.size() > 127 || !is_word(key)) {
    return "\"vault_key_name\" must be 1 to 127 letters, digits and dashes";
  }
  const std::string vault = settings.vault.host.substr(0, settings.vault.host.find('.'));
  const bool begins_well = !vault.empty() && is_word(vault.substr(0, 1)) && vault[0] != '-' &&
                           (vault[0] < '0' || vault[0] > '9');
  if (vault.size() < 3 || vault.size() > 24 || !is_word(vault) || !begins_well ||
      vault.ends_with('-') || vault.find("--") != std::string::npos) {
    return "the name of the vault in \"vault_uri\" must be 3 to 24 letters, digits and single "
           "dashes, beginning with a letter";
  }
  return {};
}

std::string resource_of(std::string_view environment) {
  if (environment.starts_with("usgov")) return "https://vault.usgovcloudapi.net";
  if (environment.starts_with("china")) return "https://vault.azure.cn";
  return "https://vault.azure.net";
}

Overlay::Values variables_of(const Settings& settings) {
  Overlay::Values values;
  for (const auto& [variable, name] : {std::pair("ARM_CLIENT_ID", "client_id"),
                                       {"ARM_CLIENT_SECRET", "client_secret"},
                                       {"ARM_CLIENT_CERTIFICATE_PATH", "client_certificate_path"},
                                       {"ARM_OIDC_TOKEN_FILE_PATH", "oidc_token_file_path"},
                                       {"ARM_MSI_ENDPOINT", "msi_endpoint"},
                                       {"ARM_SUBSCRIPTION_ID", "subscription_id"},
                                       {"ARM_TENANT_ID", "tenant_id"}}) {
    set_variable(values, variable, settings.text(name));
  }
  for (const auto& [variable, name] :
       {std::pair("ARM_USE_MSI", "use_msi"),
        {"ARM_USE_OIDC", "use_oidc"},
        {"ARM_USE_AKS_WORKLOAD_IDENTITY", "use_aks_workload_identity"},
        {"ARM_USE_CLI", "use_cli"}}) {
    if (const auto flag = settings.flag(name)) values[variable] = *flag ? "true" : "false";
  }
  return values;
}

// Ways to say who this is that only OpenTofu has. Passing over them would ask with another
// identity.
std::string fault_of_identity(const Settings& settings) {
  for (const std::string_view name :
       {"client_id_file_path", "client_secret_file_path", "client_certificate",
        "client_certificate_password", "oidc_token", "oidc_request_url", "oidc_request_token",
        "metadata_host"}) {
    if (!settings.text(name).empty()) {
      return fmt::format(
          "{:?} cannot be used by this version. Give \"client_id\" and \"client_secret\", or "
          "\"client_certificate_path\" or \"oidc_token_file_path\"",
          name);
    }
  }
  return "";
}

base::Result<std::shared_ptr<const KeyProvider>> make(const Settings& settings,
                                                      std::string storage_name,
                                                      const KeyProviderContext& context) {
  if (const std::string fault = fault_of_identity(settings); !fault.empty()) {
    return base::Error{fault};
  }
  VaultSettings own;
  own.algorithm = "RSA-OAEP-256";
  if (settings.flag("symmetric").value_or(false)) {
    const std::int64_t size = settings.whole("symmetric_key_size").value_or(0);
    if (size != 128 && size != 192 && size != 256) {
      return base::Error{"with \"symmetric\", \"symmetric_key_size\" must be 128, 192 or 256"};
    }
    own.algorithm = fmt::format("A{}GCM", size);
  }
  own.key_name = settings.text("vault_key_name");
  auto vault = net::parse_web_url(settings.text("vault_uri"));
  if (!vault)
    return base::Error{fmt::format("\"vault_uri\" cannot be used: {}", vault.error().what)};
  own.vault = std::move(*vault);
  if (const std::string fault = fault_of_names(own); !fault.empty()) return base::Error{fault};
  const std::int64_t length = settings.whole("key_length").value_or(0);
  if (length < 1 || length > 1024) return base::Error{"\"key_length\" must be from 1 to 1024"};
  own.key_length = static_cast<std::size_t>(length);
  const std::string named = settings.text("environment");
  own.resource = resource_of(named.empty() ? context.environment("ARM_ENVIRONMENT") : named);
  auto service = std::make_unique<KeyService>(context, context.web, variables_of(settings));
  return std::shared_ptr<const KeyProvider>(
      std::make_shared<AzureVault>(std::move(storage_name), std::move(service), std::move(own)));
}

}  // namespace

const KeyProviderKind kAzureVault = {"azure_vault", kArguments, make};

}  // namespace tofu::encryption
