#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/base64.h"
#include "base/json_writer.h"
#include "encryption/key_service.h"
#include "encryption/kinds.h"
#include "functions/timestamp.h"
#include "identity/aws_credentials.h"
#include "identity/aws_services.h"
#include "net/proxies.h"
#include "net/web_url.h"
#include "value/convert.h"

namespace tofu::encryption {

namespace {

using Kind = Argument::Kind;
using value::Value;

// Both are read, as OpenTofu does; only STS is ever asked.
constexpr std::array<std::string_view, 2> kEndpoints = {"iam", "sts"};

constexpr std::array kArguments = {
    Argument{"kms_key_id", Kind::Text, true},
    Argument{"key_spec", Kind::Text, true},
    Argument{"access_key"},
    Argument{"endpoints", Kind::Block, false, kEndpoints},
    Argument{"max_retries", Kind::Number},
    Argument{"profile"},
    Argument{"region"},
    Argument{"secret_key"},
    Argument{"skip_credentials_validation", Kind::Flag},
    Argument{"skip_requesting_account_id", Kind::Flag},
    Argument{"sts_region"},
    Argument{"token"},
    Argument{"http_proxy"},
    Argument{"https_proxy"},
    Argument{"no_proxy"},
    Argument{"insecure", Kind::Flag},
    Argument{"use_dualstack_endpoint", Kind::Flag},
    Argument{"use_fips_endpoint", Kind::Flag},
    Argument{"custom_ca_bundle"},
    Argument{"ec2_metadata_service_endpoint"},
    Argument{"ec2_metadata_service_endpoint_mode"},
    Argument{"skip_metadata_api_check", Kind::Flag},
    Argument{"shared_credentials_files", Kind::Texts},
    Argument{"shared_config_files", Kind::Texts},
    Argument{"assume_role", Kind::Object},
    Argument{"assume_role_with_web_identity", Kind::Object},
    Argument{"allowed_account_ids", Kind::Texts},
    Argument{"forbidden_account_ids", Kind::Texts},
    Argument{"retry_mode"},
    Argument{"encryption_context", Kind::Object},
};

constexpr std::string_view kMember = "ciphertext_blob";
constexpr std::string_view kContext = "encryption_context";

// Pairs that a key is bound to: AWS opens it only for a request that has the same ones.
using KeyContext = std::map<std::string, std::string, std::less<>>;
constexpr std::int64_t kSecond = 1'000'000'000;

struct AwsSettings {
  std::string key_id;
  std::string key_spec;
  std::string profile;
  std::string region;
  std::string sts_region;
  bool dual_stack = false;
  bool fips = false;
  std::optional<identity::AwsRole> role;      // to assume with the keys
  std::optional<identity::AwsRole> web_role;  // to assume with a token of a web identity
  std::string web_token;
  std::string web_token_file;
  std::vector<std::string> allowed_accounts;
  std::vector<std::string> forbidden_accounts;
  KeyContext context;
};

// Texts of an object that is a setting; empty if they are not given.
std::string text_in(const Value& object, std::string_view name) {
  const Value* found = object.unmarked().find(name);
  if (found == nullptr || found->is_null()) return {};
  const auto text = value::convert(*found, value::Type::string());
  return text && !text->is_null() ? std::string(text->unmarked().as_string()) : std::string();
}

std::vector<std::string> texts_in(const Value& object, std::string_view name) {
  std::vector<std::string> texts;
  const Value* found = object.unmarked().find(name);
  if (found == nullptr || found->is_null()) return texts;
  const auto list = value::convert(*found, value::Type::list(value::Type::string()));
  if (!list || list->is_null()) return texts;
  for (const Value& item : list->unmarked().items()) {
    if (!item.is_null()) texts.emplace_back(item.unmarked().as_string());
  }
  return texts;
}

void write_context(base::JsonWriter& json, std::string_view name, const KeyContext& context) {
  if (context.empty()) return;
  json.key(name);
  json.begin_object();
  for (const auto& [key, text] : context) json.field(key, text);
  json.end_object();
}

// Nothing if it is not a map of strings.
std::optional<KeyContext> context_of(const Value& object) {
  KeyContext context;
  if (object.is_null()) return context;
  const auto map = value::convert(object, value::Type::map(value::Type::string()));
  if (!map || !map->wholly_known()) return std::nullopt;
  bool is_complete = true;
  value::for_each_element(map->unmarked(), [&](const Value& key, const Value& item) {
    if (item.is_null()) {
      is_complete = false;
      return;
    }
    context.emplace(key.unmarked().as_string(), item.unmarked().as_string());
  });
  if (!is_complete) return std::nullopt;
  return context;
}

base::Result<identity::AwsRole> role_of(const Value& object) {
  identity::AwsRole role{.arn = text_in(object, "role_arn"),
                         .session_name = text_in(object, "session_name"),
                         .external_id = text_in(object, "external_id"),
                         .policy = text_in(object, "policy"),
                         .policy_arns = texts_in(object, "policy_arns"),
                         .transitive_tags = texts_in(object, "transitive_tag_keys")};
  if (const std::string duration = text_in(object, "duration"); !duration.empty()) {
    const auto nanoseconds = functions::parse_duration(duration);
    if (!nanoseconds) {
      return base::Error{fmt::format("the duration {:?} is not one, such as \"1h\"", duration)};
    }
    const std::int64_t seconds = *nanoseconds / kSecond;
    if (seconds < 15 * 60 || seconds > 12 * 3600) {
      return base::Error{"a role's duration must be between 15 minutes and 12 hours"};
    }
    role.duration_seconds = std::to_string(seconds);
  }
  const Value* tags = object.unmarked().find("tags");
  if (tags == nullptr || tags->is_null()) return role;
  const auto map = value::convert(*tags, value::Type::map(value::Type::string()));
  if (!map) return base::Error{"a role's tags must be a map of strings"};
  value::for_each_element(map->unmarked(), [&](const Value& key, const Value& item) {
    if (item.is_null()) return;
    role.tags.emplace_back(key.unmarked().as_string(), item.unmarked().as_string());
  });
  return role;
}

base::Result<void> read_web_role(const Value& object, const KeyProviderContext& context,
                                 AwsSettings& own) {
  auto role = role_of(object);
  if (!role) return role.error();
  const auto or_variable = [&](std::string text, std::string_view name) {
    return text.empty() ? std::string(context.environment(name)) : text;
  };
  role->arn = or_variable(std::move(role->arn), "AWS_ROLE_ARN");
  role->session_name = or_variable(std::move(role->session_name), "AWS_ROLE_SESSION_NAME");
  std::string token = text_in(object, "web_identity_token");
  std::string file = text_in(object, "web_identity_token_file");
  if (!token.empty() && !file.empty()) {
    return base::Error{
        "only one of \"web_identity_token\" and \"web_identity_token_file\" can be "
        "set"};
  }
  if (token.empty() && file.empty()) {
    token = context.environment("AWS_WEB_IDENTITY_TOKEN");
    file = context.environment("AWS_WEB_IDENTITY_TOKEN_FILE");
  }
  if (token.empty() && file.empty()) {
    return base::Error{"\"assume_role_with_web_identity\" has no token"};
  }
  own.web_role = std::move(*role);
  own.web_token = std::move(token);
  own.web_token_file = std::move(file);
  return {};
}

class AwsKms final : public KeyProvider {
 public:
  AwsKms(std::string storage_name, std::unique_ptr<KeyService> service, AwsSettings settings)
      : KeyProvider(std::move(storage_name)),
        service_(std::move(service)),
        settings_(std::move(settings)) {}

  std::optional<std::size_t> key_length() const override {
    return settings_.key_spec == "AES_128" ? 16 : 32;
  }

 protected:
  base::Result<NewKey> make_key() const override {
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.field("KeyId", settings_.key_id);
    json.field("KeySpec", settings_.key_spec);
    write_context(json, "EncryptionContext", settings_.context);
    json.end_object();
    auto answer = ask("GenerateDataKey", std::move(body));
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"Plaintext"});
    const auto wrapped = answer_bytes(*answer, {"CiphertextBlob"});
    wipe(*answer);
    if (!key) return key.error();
    if (!wrapped) return wrapped.error();
    return NewKey{std::move(*key), {{storage_name(), metadata_of(*wrapped)}}};
  }

  base::Result<Key> find_key(const Metadata& metadata) const override {
    const auto found = metadata.find(storage_name());
    if (found == metadata.end()) return Key();
    const auto wrapped = read_bytes_metadata(found->second, kMember);
    if (!wrapped) return wrapped.error();
    if (wrapped->empty()) return Key();
    std::string body;
    base::JsonWriter json(body);
    json.begin_object();
    json.field("KeyId", settings_.key_id);
    json.field("CiphertextBlob", base::base64_encode(*wrapped));
    // The pairs that the key was made with, which the configuration may have changed since.
    const auto context = context_of(read_metadata_member(found->second, kContext));
    if (!context) return base::Error{"in its metadata, \"encryption_context\" is not a map"};
    write_context(json, "EncryptionContext", *context);
    json.end_object();
    auto answer = ask("Decrypt", std::move(body));
    if (!answer) return answer.error();
    auto key = answer_key(*answer, {"Plaintext"});
    wipe(*answer);
    return key;
  }

 private:
  std::string metadata_of(std::string_view wrapped) const {
    if (settings_.context.empty()) return bytes_metadata(kMember, wrapped);
    std::string text;
    base::JsonWriter json(text);
    json.begin_object();
    json.field(kMember, base::base64_encode(wrapped));
    write_context(json, kContext, settings_.context);
    json.end_object();
    return text;
  }

  // The keys to sign with, and the region.
  base::Result<identity::AwsIdentity> identity() const {
    const identity::Cloud cloud = service_->cloud();
    auto found = settings_.web_role ? web_identity(cloud)
                                    : identity::find_aws_identity(cloud, settings_.profile);
    if (!found) return found;
    if (!settings_.region.empty()) found->region = settings_.region;
    if (found->region.empty()) {
      return base::Error{
          "no region is set: neither \"region\" nor AWS_REGION nor the profile has "
          "one"};
    }
    const std::string& sts_region =
        settings_.sts_region.empty() ? found->region : settings_.sts_region;
    if (!found->keys) return base::Error{"no credentials for AWS"};
    if (settings_.role) {
      auto keys = identity::assume_role(cloud, *found->keys, *settings_.role, sts_region);
      if (!keys) return keys.error();
      found->keys = std::move(*keys);
    }
    if (const auto good = check_account(*found->keys, sts_region); !good) return good.error();
    return found;
  }

  base::Result<identity::AwsIdentity> web_identity(const identity::Cloud& cloud) const {
    std::string region = settings_.region;
    if (region.empty()) {
      region = identity::first_variable(cloud.environment, {"AWS_REGION", "AWS_DEFAULT_REGION"});
    }
    auto keys = settings_.web_token_file.empty()
                    ? identity::assume_role_with_web_identity(cloud, settings_.web_token,
                                                              *settings_.web_role, region)
                    : identity::assume_role_with_token(cloud, settings_.web_token_file,
                                                       *settings_.web_role, region);
    if (!keys) return keys.error();
    return identity::AwsIdentity{std::move(*keys), std::move(region)};
  }

  base::Result<void> check_account(const identity::AwsKeys& keys, const std::string& region) const {
    const auto& allowed = settings_.allowed_accounts;
    const auto& forbidden = settings_.forbidden_accounts;
    if (allowed.empty() && forbidden.empty()) return {};
    const auto account = identity::aws_account(service_->cloud(), keys, region);
    if (!account) return account.error();
    const bool is_allowed =
        allowed.empty() || std::ranges::find(allowed, *account) != allowed.end();
    const bool is_forbidden = std::ranges::find(forbidden, *account) != forbidden.end();
    if (is_allowed && !is_forbidden) return {};
    return base::Error{fmt::format("the account {} may not be used", *account)};
  }

  base::Result<std::string> ask(std::string_view action, std::string body) const {
    const auto who = identity();
    if (!who) return who.error();
    const std::string domain =
        who->region.starts_with("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
    const std::string usual =
        settings_.dual_stack
            ? fmt::format("https://kms{}.{}.api.aws", settings_.fips ? "-fips" : "", who->region)
            : fmt::format("https://kms{}.{}.{}", settings_.fips ? "-fips" : "", who->region,
                          domain);
    auto url = identity::aws_endpoint(service_->cloud(),
                                      {"AWS_ENDPOINT_URL_KMS", "AWS_ENDPOINT_URL"}, usual);
    if (!url) return url.error();
    if (url->path.empty()) url->path = "/";
    net::WebRequest request{.url = url->to_string(), .method = "POST"};
    request.headers = {{"Content-Type", "application/x-amz-json-1.1"},
                       {"X-Amz-Target", fmt::format("TrentService.{}", action)}};
    request.body = net::Secret(std::move(body), net::Origin(*url));
    request.signature = who->keys->signature(*url, who->region, "kms");
    return service_->ask(request, "AWS KMS");
  }

  const std::unique_ptr<KeyService> service_;
  const AwsSettings settings_;
};

// Settings that credentials are found by.
Overlay::Values variables_of(const Settings& settings) {
  Overlay::Values values;
  if (settings.has("access_key")) {
    // A token of other keys would not belong to these.
    values["AWS_ACCESS_KEY_ID"] = settings.text("access_key");
    values["AWS_SECRET_ACCESS_KEY"] = settings.text("secret_key");
    values["AWS_SESSION_TOKEN"] = settings.text("token");
  }
  const auto files = [&](std::string_view name) {
    const auto given = settings.texts(name);
    return given.empty() ? std::string() : given.front();
  };
  set_variable(values, "AWS_SHARED_CREDENTIALS_FILE", files("shared_credentials_files"));
  set_variable(values, "AWS_CONFIG_FILE", files("shared_config_files"));
  if (settings.flag("skip_metadata_api_check").value_or(false)) {
    values["AWS_EC2_METADATA_DISABLED"] = "true";
  }
  set_variable(values, "AWS_ENDPOINT_URL_STS", settings.block_text("endpoints", "sts"));
  set_variable(values, "AWS_EC2_METADATA_SERVICE_ENDPOINT",
               settings.text("ec2_metadata_service_endpoint"));
  set_variable(values, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE",
               settings.text("ec2_metadata_service_endpoint_mode"));
  return values;
}

base::Result<net::WebOptions> web_of(const Settings& settings, const KeyProviderContext& context) {
  net::WebOptions web = context.web;
  web.retries = static_cast<unsigned>(
      std::clamp<std::int64_t>(settings.whole("max_retries").value_or(5), 0, 100));
  web.proxy = net::with_usual({.http = settings.text("http_proxy"),
                               .https = settings.text("https_proxy"),
                               .excluded = settings.text("no_proxy")},
                              web.proxy);
  web.tls.without_verification = settings.flag("insecure").value_or(false);
  std::string bundle = settings.text("custom_ca_bundle");
  if (bundle.empty()) bundle = context.environment("AWS_CA_BUNDLE");
  if (bundle.empty()) return web;
  auto authorities = identity::read_credentials_file(bundle);
  if (!authorities) return authorities.error();
  web.tls.authorities = std::move(*authorities);
  return web;
}

base::Result<std::shared_ptr<const KeyProvider>> make(const Settings& settings,
                                                      std::string storage_name,
                                                      const KeyProviderContext& context) {
  AwsSettings own;
  own.key_id = settings.text("kms_key_id");
  if (own.key_id.empty()) return base::Error{"\"kms_key_id\" must be set"};
  own.key_spec = settings.text("key_spec");
  if (own.key_spec != "AES_256" && own.key_spec != "AES_128") {
    return base::Error{R"("key_spec" must be "AES_256" or "AES_128")"};
  }
  if (settings.block_count("endpoints") > 1) {
    return base::Error{"only one block is allowed: \"endpoints\""};
  }
  own.profile = settings.text("profile");
  own.region = settings.text("region");
  own.sts_region = settings.text("sts_region");
  own.dual_stack = settings.flag("use_dualstack_endpoint").value_or(false);
  own.fips = settings.flag("use_fips_endpoint").value_or(false);
  own.allowed_accounts = settings.texts("allowed_account_ids");
  own.forbidden_accounts = settings.texts("forbidden_account_ids");
  if (!own.allowed_accounts.empty() && !own.forbidden_accounts.empty()) {
    return base::Error{
        "only one of \"allowed_account_ids\" and \"forbidden_account_ids\" can be "
        "set"};
  }
  if (const Value* object = settings.object(kContext)) {
    auto pairs = context_of(*object);
    if (!pairs) return base::Error{"\"encryption_context\" must be a map of strings"};
    own.context = std::move(*pairs);
  }
  if (const Value* object = settings.object("assume_role")) {
    auto role = role_of(*object);
    if (!role) return role.error();
    if (role->arn.empty()) return base::Error{"\"assume_role\" needs a \"role_arn\""};
    own.role = std::move(*role);
  }
  if (const Value* object = settings.object("assume_role_with_web_identity")) {
    if (const auto read = read_web_role(*object, context, own); !read) return read.error();
  }
  auto web = web_of(settings, context);
  if (!web) return web.error();
  auto service = std::make_unique<KeyService>(context, std::move(*web), variables_of(settings));
  return std::shared_ptr<const KeyProvider>(
      std::make_shared<AwsKms>(std::move(storage_name), std::move(service), std::move(own)));
}

}  // namespace

const KeyProviderKind kAwsKms = {"aws_kms", kArguments, make};

}  // namespace tofu::encryption
