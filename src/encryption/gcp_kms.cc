#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json_writer.h"
#include "encryption/ciphers.h"
#include "encryption/key_service.h"
#include "encryption/kinds.h"
#include "identity/google_credentials.h"
#include "net/json_fields.h"
#include "net/web_url.h"

namespace tofu::encryption {

namespace {

using Kind = Argument::Kind;

constexpr std::array kArguments = {
    Argument{"credentials"},
    Argument{"access_token"},
    Argument{"impersonate_service_account"},
    Argument{"impersonate_service_account_delegates", Kind::Texts},
    Argument{"kms_encryption_key", Kind::Text, true},
    Argument{"key_length", Kind::Number, true},
    Argument{"additional_authenticated_data"},
};

constexpr std::string_view kMember = "ciphertext";
constexpr std::size_t kMaxAuthenticatedData = 64 * 1024;  // a limit of the service
constexpr const char* kScope = "https://www.googleapis.com/auth/cloudkms";
constexpr const char* kWideScope = "https://www.googleapis.com/auth/cloud-platform";

struct GoogleSettings {
  std::string key_name;
  std::size_t key_length;
  std::string impersonated;  // an account; may be empty
  std::vector<std::string> delegates;
  std::string authenticated;  // in base64: wrapped keys open with the same only; may be empty
};

class GcpKms final : public KeyProvider {
 public:
  GcpKms(std::string storage_name, std::unique_ptr<KeyService> service, GoogleSettings settings)
      : KeyProvider(std::move(storage_name)),
        service_(std::move(service)),
        settings_(std::move(settings)) {}

  std::optional<std::size_t> key_length() const override { return settings_.key_length; }

 protected:
  base::Result<NewKey> make_key() const override {
    auto key = random_key(settings_.key_length);
    if (!key) return key.error();
    const auto answer = ask("encrypt", "plaintext", key->bytes());
    if (!answer) return answer.error();
    const auto wrapped = answer_bytes(*answer, {"ciphertext"});
    if (!wrapped) return wrapped.error();
    return NewKey{std::move(*key), {{storage_name(), bytes_metadata(kMember, *wrapped)}}};
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    const auto found = metadata.find(storage_name());
    if (found == metadata.end()) return Key();
    const auto wrapped = read_bytes_metadata(found->second, kMember);
    if (!wrapped) return wrapped.error();
    if (wrapped->empty()) return Key();
    auto answer = ask("decrypt", "ciphertext", *wrapped);
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"plaintext"});
    wipe(*answer);
    return key;
  }

 private:
  // The address of a service of Google: what the environment says, or the usual one.
  base::Result<base::Url> endpoint(std::string_view variable, std::string_view usual) const {
    const std::string_view set = service_->variable(variable);
    auto url = net::parse_web_url(set.empty() ? usual : set);
    if (url) return url;
    return base::Error{
        fmt::format("the address of a service of Google cannot be used: {}", url.error().what)};
  }

  base::Result<std::string> ask(std::string_view action, std::string_view member,
                                std::string_view bytes) const {
    auto url = endpoint("GOOGLE_KMS_CUSTOM_ENDPOINT", "https://cloudkms.googleapis.com/v1/");
    if (!url) return url.error();
    if (!url->path.ends_with('/')) url->path += '/';
    url->path += fmt::format("{}:{}", settings_.key_name, action);
    const net::Origin origin(*url);
    const auto token =
        settings_.impersonated.empty() ? own_token(origin, kScope) : impersonated_token(origin);
    if (!token) return token.error();
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    std::string text = base::base64_encode(bytes);
    json.field(member, text);
    wipe(text);
    if (!settings_.authenticated.empty()) {
      json.field("additionalAuthenticatedData", settings_.authenticated);
    }
    json.end_object();
    net::WebRequest request{.url = url->to_string(), .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}};
    request.private_headers = {{"Authorization", net::bearer_token(*token)}};
    request.body = net::Secret(std::move(body), origin);
    return service_->ask(request, "Google Cloud KMS");
  }

  base::Result<net::Secret> own_token(const net::Origin& origin, const std::string& scope) const {
    auto token = identity::find_google_token(service_->cloud(), origin, scope);
    if (!token) return token.error();
    if (!*token) return base::Error{"no credentials for Google Cloud"};
    return std::move(**token);
  }

  base::Result<net::Secret> impersonated_token(const net::Origin& origin) const {
    auto url = endpoint("GOOGLE_IAM_CREDENTIALS_CUSTOM_ENDPOINT",
                        "https://iamcredentials.googleapis.com/v1/");
    if (!url) return url.error();
    if (!url->path.ends_with('/')) url->path += '/';
    url->path +=
        fmt::format("projects/-/serviceAccounts/{}:generateAccessToken", settings_.impersonated);
    const auto own = own_token(net::Origin(*url), kWideScope);
    if (!own) return own;
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.key("delegates");
    json.begin_array();
    for (const std::string& each : settings_.delegates) {
      json.string("projects/-/serviceAccounts/" + each);
    }
    json.end_array();
    json.key("scope");
    json.begin_array();
    json.string(kScope);
    json.end_array();
    json.end_object();
    net::WebRequest request{.url = url->to_string(), .method = "POST"};
    request.headers = {{"Content-Type", "application/json"}};
    request.private_headers = {{"Authorization", net::bearer_token(*own)}};
    request.body = net::Secret(std::move(body), net::Origin(*url));
    const auto answer = service_->ask(request, "Google's service for impersonation");
    if (!answer) return answer.error();
    const auto document = net::parse_json_object(*answer);
    std::string token = document ? net::text_at(*document, "accessToken") : std::string();
    if (token.empty()) {
      return base::Error{"the answer of Google's service for impersonation has no token"};
    }
    return net::Secret(std::move(token), origin);
  }

  const std::unique_ptr<KeyService> service_;
  const GoogleSettings settings_;
};

base::Result<std::shared_ptr<const KeyProvider>> make(const Settings& settings,
                                                      std::string storage_name,
                                                      const KeyProviderContext& context) {
  GoogleSettings own;
  own.key_name = settings.text("kms_encryption_key");
  if (own.key_name.empty()) return base::Error{"\"kms_encryption_key\" must be set"};
  const std::int64_t length = settings.whole("key_length").value_or(0);
  if (length < 1 || length > 1024) return base::Error{"\"key_length\" must be from 1 to 1024"};
  own.key_length = static_cast<std::size_t>(length);
  own.impersonated = settings.text("impersonate_service_account");
  if (own.impersonated.empty()) {
    for (const char* name :
         {"GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"}) {
      if (own.impersonated.empty()) own.impersonated = context.environment(name);
    }
  }
  own.delegates = settings.texts("impersonate_service_account_delegates");
  own.authenticated = settings.text("additional_authenticated_data");
  const auto authenticated = base::base64_decode(own.authenticated);
  if (!authenticated) {
    return base::Error{
        "\"additional_authenticated_data\" must be in base64, as base64encode() returns it"};
  }
  if (authenticated->size() > kMaxAuthenticatedData) {
    return base::Error{"\"additional_authenticated_data\" must be 64 KiB at most"};
  }
  Overlay::Values values;
  set_variable(values, "GOOGLE_OAUTH_ACCESS_TOKEN", settings.text("access_token"));
  set_variable(values, "GOOGLE_CREDENTIALS", settings.text("credentials"));
  auto service = std::make_unique<KeyService>(context, context.web, std::move(values));
  return std::shared_ptr<const KeyProvider>(
      std::make_shared<GcpKms>(std::move(storage_name), std::move(service), std::move(own)));
}

}  // namespace

const KeyProviderKind kGcpKms = {"gcp_kms", kArguments, make};

}  // namespace tofu::encryption
