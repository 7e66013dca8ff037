#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <utility>

#include "base/base64.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "encryption/key_service.h"
#include "encryption/kinds.h"
#include "net/secret.h"
#include "net/web_url.h"
#include "value/json.h"

namespace tofu::encryption {

namespace {

using Kind = Argument::Kind;

constexpr std::array kArguments = {
    Argument{"address"},
    Argument{"token"},
    Argument{"key_name", Kind::Text, true},
    Argument{"key_length", Kind::Number},
    Argument{"transit_engine_path"},
    Argument{"associated_data"},
};

constexpr std::string_view kMember = "ciphertext";
constexpr std::string_view kAssociated = "associated_data";

struct BaoSettings {
  base::Url address;
  net::Secret token;
  std::string space;  // a namespace; may be empty
  std::string engine;
  std::string key_name;
  std::int64_t key_length;
  std::string associated;  // in base64: keys are bound to it; may be empty
};

// BAO_X, or VAULT_X as it was called before.
std::string bao_variable(const KeyService& service, const std::string& name) {
  const std::string_view own = service.variable("BAO_" + name);
  return std::string(own.empty() ? service.variable("VAULT_" + name) : own);
}

class OpenBao final : public KeyProvider {
 public:
  OpenBao(std::string storage_name, std::unique_ptr<KeyService> service, BaoSettings settings)
      : KeyProvider(std::move(storage_name)),
        service_(std::move(service)),
        settings_(std::move(settings)) {}

  std::optional<std::size_t> key_length() const override {
    return static_cast<std::size_t>(settings_.key_length);
  }

 protected:
  base::Result<NewKey> make_key() const override {
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.field("bits", settings_.key_length * 8);
    if (!settings_.associated.empty()) json.field(kAssociated, settings_.associated);
    json.end_object();
    auto answer = ask("datakey/plaintext", std::move(body));
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"data", "plaintext"});
    const auto ciphertext = text_in(*answer);
    wipe(*answer);
    if (!key) return key.error();
    if (!ciphertext) return ciphertext.error();
    return NewKey{std::move(*key), {{storage_name(), metadata_of(*ciphertext)}}};
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    const auto found = metadata.find(storage_name());
    if (found == metadata.end()) return Key();
    const auto ciphertext = read_bytes_metadata(found->second, kMember);
    if (!ciphertext) return ciphertext.error();
    if (ciphertext->empty()) return Key();
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.field(kMember, *ciphertext);
    // The data that the key was made with, which the configuration may have changed since.
    const value::Value associated = read_metadata_member(found->second, kAssociated);
    if (associated.kind() == value::Kind::String && !associated.is_null()) {
      json.field(kAssociated, associated.unmarked().as_string());
    }
    json.end_object();
    auto answer = ask("decrypt", std::move(body));
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"data", "plaintext"});
    wipe(*answer);
    return key;
  }

 private:
  std::string metadata_of(std::string_view ciphertext) const {
    if (settings_.associated.empty()) return bytes_metadata(kMember, ciphertext);
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    json.field(kMember, base::base64_encode(ciphertext));
    json.field(kAssociated, settings_.associated);
    json.end_object();
    return text;
  }

  base::Result<std::string> ask(std::string_view operation, std::string body) const {
    base::Url url = settings_.address;
    while (url.path.ends_with('/')) url.path.pop_back();
    std::string_view engine = settings_.engine;
    while (engine.starts_with('/')) engine.remove_prefix(1);
    while (engine.ends_with('/')) engine.remove_suffix(1);
    url.path +=
        fmt::format("/v1/{}/{}/{}", engine, operation, base::escape_url(settings_.key_name));
    net::WebRequest request{.url = url.to_string(), .method = "PUT"};
    const net::Origin origin(url);
    request.headers = {{"Content-Type", "application/json"}, {"X-Vault-Request", "true"}};
    if (!settings_.space.empty()) {
      request.headers.push_back({"X-Vault-Namespace", settings_.space});
    }
    if (!settings_.token.is_empty()) {
      request.private_headers.push_back({"X-Vault-Token", settings_.token.rescoped_to(origin)});
    }
    request.body = net::Secret(std::move(body), origin);
    return service_->ask(request, "OpenBao");
  }

  // The encrypted key, which is text such as vault:v1:….
  static base::Result<std::string> text_in(std::string_view body) {
    const auto document = value::parse_json(body);
    const value::Value* found = document ? &*document : nullptr;
    for (const std::string_view name : {std::string_view("data"), kMember}) {
      if (found == nullptr || found->kind() != value::Kind::Object) break;
      found = found->unmarked().find(name);
    }
    if (found == nullptr || found->kind() != value::Kind::String) {
      return base::Error{"the answer of OpenBao has no \"ciphertext\""};
    }
    return std::string(found->unmarked().as_string());
  }

  const std::unique_ptr<KeyService> service_;
  const BaoSettings settings_;
};

base::Result<net::WebOptions> web_of(const KeyProviderContext& context) {
  net::WebOptions web = context.web;
  const auto variable = [&](const char* own, const char* old) {
    const std::string_view set = context.environment(own);
    return std::string(set.empty() ? context.environment(old) : set);
  };
  if (auto file = variable("BAO_CACERT", "VAULT_CACERT"); !file.empty()) {
    web.authorities_file = std::move(file);
  }
  if (auto directory = variable("BAO_CAPATH", "VAULT_CAPATH"); !directory.empty()) {
    web.authorities_directory = std::move(directory);
  }
  const std::string skips = variable("BAO_SKIP_VERIFY", "VAULT_SKIP_VERIFY");
  web.tls.without_verification = skips == "1" || skips == "t" || skips == "true" || skips == "True";
  const std::string certificate = variable("BAO_CLIENT_CERT", "VAULT_CLIENT_CERT");
  const std::string key = variable("BAO_CLIENT_KEY", "VAULT_CLIENT_KEY");
  if (certificate.empty() || key.empty()) return web;
  auto certificate_text = identity::read_credentials_file(certificate);
  if (!certificate_text) return certificate_text.error();
  auto key_text = identity::read_credentials_file(key);
  if (!key_text) return key_text.error();
  web.tls.certificate = std::move(*certificate_text);
  web.tls.private_key = std::move(*key_text);
  return web;
}

base::Result<std::shared_ptr<const KeyProvider>> make(const Settings& settings,
                                                      std::string storage_name,
                                                      const KeyProviderContext& context) {
  BaoSettings own;
  own.key_name = settings.text("key_name");
  if (own.key_name.empty()) return base::Error{"\"key_name\" must be set"};
  own.key_length = settings.whole("key_length").value_or(32);
  if (own.key_length != 16 && own.key_length != 32 && own.key_length != 64) {
    return base::Error{"\"key_length\" must be 16, 32 or 64"};
  }
  own.engine = settings.text("transit_engine_path");
  if (own.engine.empty()) own.engine = "/transit";
  own.associated = settings.text(kAssociated);
  if (!base::base64_decode(own.associated)) {
    return base::Error{"\"associated_data\" must be in base64, as base64encode() returns it"};
  }
  auto web = web_of(context);
  if (!web) return web.error();
  auto service = std::make_unique<KeyService>(context, std::move(*web), Overlay::Values{});
  std::string address = settings.text("address");
  if (address.empty()) address = bao_variable(*service, "ADDR");
  if (address.empty()) address = "https://127.0.0.1:8200";
  auto url = net::parse_web_url(address);
  if (!url) return base::Error{fmt::format("\"address\" cannot be used: {}", url.error().what)};
  own.address = std::move(*url);
  std::string token = settings.text("token");
  if (token.empty()) token = bao_variable(*service, "TOKEN");
  own.token = net::Secret(std::move(token));
  own.space = bao_variable(*service, "NAMESPACE");
  return std::shared_ptr<const KeyProvider>(
      std::make_shared<OpenBao>(std::move(storage_name), std::move(service), std::move(own)));
}

}  // namespace

const KeyProviderKind kOpenBao = {"openbao", kArguments, make};

}  // namespace tofu::encryption
