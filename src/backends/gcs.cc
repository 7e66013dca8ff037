// States as objects of a bucket of Google Cloud Storage.
//
// A lock is an object that can be made only while it is not there; its generation, a
// number that the service chooses, is the ID of the lock. Names are OpenTofu's.
#include <fmt/format.h>
#include <utility>

#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "fetch/object_listing.h"
#include "identity/google_credentials.h"
#include "net/json_fields.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

struct GcsSettings {
  std::string bucket;
  std::string prefix;  // with a slash at its end, or empty
  std::string impersonated;
  std::vector<std::string> delegates;
  std::string customer_key;  // in bytes
  std::string kms_key;
  base::Url api;             // …/storage/v1
  bool is_emulated = false;  // emulators have no users
  // Variables of Google's libraries that settings stand for.
  VariableSettings variables;
};

const schema::Block& gcs_schema() {
  using value::Type;
  static const schema::Block kSchema = settings_schema({
      {.name = "bucket", .about = "The bucket of the states."},
      {.name = "prefix", .about = "The folder of the states in it."},
      {.name = "credentials",
       .about = "A key of a service account, or its file.",
       .sensitive = true},
      {.name = "access_token", .about = "An access token.", .sensitive = true},
      {.name = "impersonate_service_account", .about = "The service account to act as."},
      {.name = "impersonate_service_account_delegates",
       .type = Type::list(Type::string()),
       .about = "Service accounts that lead to it."},
      {.name = "encryption_key",
       .about = "A key for states, in base64, or its file.",
       .sensitive = true},
      {.name = "kms_encryption_key", .about = "A key of Cloud KMS for states."},
      {.name = "storage_custom_endpoint", .about = "The address of the service."},
      {.name = "universe_domain", .about = "The domain of the cloud."},
  });
  return kSchema;
}

// The text, or that of the file which it names.
std::string read_text_or_file(const std::string& text) {
  constexpr std::uint64_t kMaxKeySize = std::uint64_t{1} << 16;
  if (text.size() >= 4096) return text;
  const auto kind = base::file_kind(text);
  if (!kind || *kind != base::FileKind::Regular) return text;
  auto found = base::read_file(text, kMaxKeySize);
  if (!found) return text;
  while (found->ends_with('\n')) found->pop_back();
  return std::move(*found);
}

void read_endpoint(const Settings& settings, GcsSettings& gcs) {
  const std::string domain =
      settings.text("universe_domain", {"GOOGLE_BACKEND_UNIVERSE_DOMAIN"}, "googleapis.com");
  std::string address =
      settings.text("storage_custom_endpoint",
                    {"GOOGLE_BACKEND_STORAGE_CUSTOM_ENDPOINT", "GOOGLE_STORAGE_CUSTOM_ENDPOINT"});
  const std::string emulator = settings.variable("STORAGE_EMULATOR_HOST");
  if (address.empty() && !emulator.empty()) {
    gcs.is_emulated = true;
    address = (emulator.find("://") == std::string::npos ? "http://" : "") + emulator;
    while (address.ends_with('/')) address.pop_back();
    address += "/storage/v1/";
  }
  if (address.empty()) address = fmt::format("https://storage.{}/storage/v1/", domain);
  auto url = net::parse_web_url(address);
  if (!url) return settings.refuse("storage_custom_endpoint", url.error().what);
  // "…/storage/v1/b" and "…/storage/v1/" are the same.
  url->path = url->path.substr(0, url->path.rfind('/'));
  gcs.api = std::move(*url);
}

std::optional<GcsSettings> read_gcs_settings(const value::Value& values,
                                             const net::EnvironmentVariable& environment,
                                             diag::Diagnostics& diags) {
  const Settings settings("gcs", values, environment, diags);
  GcsSettings gcs;
  gcs.bucket = settings.needed_text("bucket");
  gcs.prefix = settings.text("prefix");
  gcs.prefix.erase(0, std::min(gcs.prefix.find_first_not_of('/'), gcs.prefix.size()));
  if (!gcs.prefix.empty() && !gcs.prefix.ends_with('/')) gcs.prefix += '/';
  if (const std::string token = settings.text("access_token"); !token.empty()) {
    gcs.variables["GOOGLE_OAUTH_ACCESS_TOKEN"] = token;
  }
  if (const std::string found = settings.text("credentials", {"GOOGLE_BACKEND_CREDENTIALS"});
      !found.empty()) {
    gcs.variables["GOOGLE_CREDENTIALS"] = found;
  }
  gcs.impersonated = settings.text(
      "impersonate_service_account",
      {"GOOGLE_BACKEND_IMPERSONATE_SERVICE_ACCOUNT", "GOOGLE_IMPERSONATE_SERVICE_ACCOUNT"});
  gcs.delegates = settings.list("impersonate_service_account_delegates");
  gcs.kms_key = settings.text("kms_encryption_key", {"GOOGLE_KMS_ENCRYPTION_KEY"});
  const std::string key = settings.text("encryption_key", {"GOOGLE_ENCRYPTION_KEY"});
  if (!key.empty()) {
    auto bytes = base::base64_decode(read_text_or_file(key));
    if (!bytes || bytes->size() != 32) {
      settings.refuse("encryption_key", "it is not a key of 32 bytes in base64");
    } else {
      gcs.customer_key = std::move(*bytes);
    }
    if (!gcs.kms_key.empty()) {
      settings.refuse("encryption_key", "it excludes \"kms_encryption_key\"");
    }
  }
  read_endpoint(settings, gcs);
  if (!settings.ok()) return std::nullopt;
  return gcs;
}

class GcsStorage final : public RemoteStorage {
 public:
  GcsStorage(GcsSettings settings, const BackendContext& context)
      : settings_(std::move(settings)),
        environment_(environment_with(settings_.variables, context.environment)),
        web_(
            [&] {
              net::WebOptions options = backend_web_options(context);
              options.retries = 4;
              return options;
            }(),
            no_cancellation()),
        cloud_{web_, environment_, no_cancellation()} {}

  std::string identity() const override {
    return fmt::format("gs://{}/{}", settings_.bucket, settings_.prefix);
  }
  std::string service_address() const override { return settings_.api.authority(); }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const GcsSettings& settings() const { return settings_; }
  base::Url object_url(const std::string& name) const {
    base::Url url = settings_.api;
    url.path +=
        fmt::format("/b/{}/o/{}", base::escape_url(settings_.bucket), base::escape_url(name));
    return url;
  }
  base::Url upload_url(const std::string& name) const {
    base::Url url = settings_.api;
    url.path = fmt::format("/upload/storage/v1/b/{}/o", base::escape_url(settings_.bucket));
    url.query = "uploadType=media&name=" + base::escape_url(name);
    return url;
  }
  // With an access token, which is asked for again when it has expired. `with_key`: the
  // object is encrypted with the customer's key.
  base::Result<WebReply> ask(WebRequest request, const base::Url& url, bool with_key);
  base::Error refusal(const WebReply& reply) const;

 private:
  base::Result<std::optional<net::Secret>> find_token();
  base::Result<std::optional<net::Secret>> impersonate();

  GcsSettings settings_;
  net::EnvironmentVariable environment_;
  net::Web web_;
  identity::Cloud cloud_;
  bool has_looked_ = false;
  std::optional<net::Secret> token_;
};

base::Error GcsStorage::refusal(const WebReply& reply) const {
  if (reply.status == 404) {
    return {fmt::format("the bucket {:?} does not exist, or the credentials give no access to it",
                        settings_.bucket)};
  }
  if (reply.status == 401 || reply.status == 403) {
    return {fmt::format("Google Cloud Storage refuses access (status {})", reply.status)};
  }
  return {fmt::format("Google Cloud Storage responded with status {}", reply.status)};
}

base::Result<std::optional<net::Secret>> GcsStorage::find_token() {
  if (settings_.is_emulated && environment_("GOOGLE_OAUTH_ACCESS_TOKEN").empty()) {
    return std::optional<net::Secret>();
  }
  if (!settings_.impersonated.empty()) return impersonate();
  return identity::find_google_token(cloud_, net::Origin(settings_.api),
                                     "https://www.googleapis.com/auth/devstorage.read_write");
}

base::Result<std::optional<net::Secret>> GcsStorage::impersonate() {
  const auto url = net::parse_web_url(
      fmt::format("https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/"
                  "{}:generateAccessToken",
                  base::escape_url(settings_.impersonated, "@")));
  if (!url) return url.error();
  const net::Origin origin(*url);
  const auto own =
      identity::find_google_token(cloud_, origin, "https://www.googleapis.com/auth/cloud-platform");
  if (!own) return own.error();
  if (!*own) return base::Error{"no credentials to impersonate a service account with"};
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.key("delegates");
  writer.begin_array();
  for (const std::string& each : settings_.delegates) {
    writer.string("projects/-/serviceAccounts/" + each);
  }
  writer.end_array();
  writer.key("scope");
  writer.begin_array();
  writer.string("https://www.googleapis.com/auth/devstorage.read_write");
  writer.end_array();
  writer.end_object();
  const auto reply =
      identity::ask_service(cloud_,
                            {.url = url->to_string(),
                             .method = "POST",
                             .headers = {{"Content-Type", "application/json"}},
                             .private_headers = {{"Authorization", net::bearer_token(**own)}},
                             .body = net::Secret(std::move(body), origin)},
                            "the service that gives out tokens of Google's service accounts");
  if (!reply) return reply.error();
  const auto document = net::parse_json_object(*reply);
  std::string token = document ? net::text_at(*document, "accessToken") : std::string();
  if (token.empty()) return base::Error{"the answer to a request for a token has none"};
  return std::optional(net::Secret(std::move(token), net::Origin(settings_.api)));
}

base::Result<WebReply> GcsStorage::ask(WebRequest request, const base::Url& url, bool with_key) {
  request.url = url.to_string();
  const net::Origin origin(settings_.api);
  if (with_key && !settings_.customer_key.empty()) {
    const std::string& key = settings_.customer_key;
    request.headers.push_back({"x-goog-encryption-algorithm", "AES256"});
    request.headers.push_back({"x-goog-encryption-key-sha256",
                               base::base64_encode(base::digest(base::Hash::Sha256, key))});
    request.private_headers.push_back(
        {"x-goog-encryption-key", net::Secret(base::base64_encode(key), origin)});
  }
  for (bool is_second = false;; is_second = true) {
    if (!has_looked_) {
      auto found = find_token();
      if (!found) return std::move(found).error();
      token_ = std::move(*found);
      has_looked_ = true;
    }
    WebRequest signed_request = request;
    if (token_) {
      signed_request.private_headers.push_back({"Authorization", net::bearer_token(*token_)});
    }
    auto reply = web_.ask(signed_request);
    if (!reply || is_second || reply->status != 401) return reply;
    has_looked_ = false;
  }
}

base::Result<std::vector<std::string>> GcsStorage::list() {
  constexpr std::size_t kMaxPages = 1000;
  std::vector<std::string> names;
  std::string next;
  for (std::size_t pages = 0; pages < kMaxPages; ++pages) {
    base::Url url = settings_.api;
    url.path += fmt::format("/b/{}/o", base::escape_url(settings_.bucket));
    url.query = "delimiter=%2F&prefix=" + base::escape_url(settings_.prefix);
    if (!next.empty()) url.query += "&pageToken=" + base::escape_url(next);
    const auto reply = ask({}, url, false);
    if (!reply) return reply.error();
    if (reply->status != 200) return refusal(*reply);
    auto page = fetch::read_gcs_page(reply->body);
    if (!page) return std::move(page).error();
    for (std::string_view name : page->names) {
      if (!name.starts_with(settings_.prefix) || !name.ends_with(".tfstate")) continue;
      name.remove_prefix(settings_.prefix.size());
      name.remove_suffix(std::string_view(".tfstate").size());
      if (!name.empty() && name.find('/') == std::string_view::npos) names.emplace_back(name);
    }
    next = std::move(page->next);
    if (next.empty()) return names;
  }
  return base::Error{"the list of objects has too many pages"};
}

class GcsClient final : public RemoteClient {
 public:
  GcsClient(GcsStorage& storage, const std::string& workspace)
      : storage_(storage),
        state_(storage.settings().prefix + workspace + ".tfstate"),
        lock_(storage.settings().prefix + workspace + ".tflock") {}

  base::Result<std::optional<std::string>> get() override {
    base::Url url = storage_.object_url(state_);
    url.query = "alt=media";
    auto reply = storage_.ask({.url = {}, .limit = kMaxRemoteStateSize}, url, true);
    if (!reply) return std::move(reply).error();
    if (reply->status == 404) return std::optional<std::string>();
    if (reply->status != 200) return storage_.refusal(*reply);
    return std::optional(std::move(reply->body));
  }

  base::Result<void> put(const std::string& bytes) override {
    base::Url url = storage_.upload_url(state_);
    if (!storage_.settings().kms_key.empty()) {
      url.query += "&kmsKeyName=" + base::escape_url(storage_.settings().kms_key);
    }
    const auto reply = storage_.ask(upload(url, bytes), url, true);
    if (!reply) return reply.error();
    if (reply->status != 200) return storage_.refusal(*reply);
    return {};
  }

  base::Result<void> remove() override {
    const auto reply =
        storage_.ask({.url = {}, .method = "DELETE"}, storage_.object_url(state_), false);
    if (!reply) return reply.error();
    if (reply->status != 200 && reply->status != 204 && reply->status != 404) {
      return storage_.refusal(*reply);
    }
    return {};
  }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    const auto found = generation();
    if (!found) return LockHold::Unknown;
    return *found == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  static WebRequest upload(const base::Url& url, const std::string& bytes) {
    return {.url = {},
            .method = "POST",
            .headers = {{"Content-Type", "application/json"}},
            .body = net::Secret(bytes, net::Origin(url))};
  }
  // Of the lock; empty if there is none.
  base::Result<std::string> generation();
  std::optional<LockInfo> record();

  GcsStorage& storage_;
  std::string state_;
  std::string lock_;
};

base::Result<std::string> GcsClient::generation() {
  const auto reply = storage_.ask({}, storage_.object_url(lock_), false);
  if (!reply) return reply.error();
  if (reply->status == 404) return std::string();
  if (reply->status != 200) return storage_.refusal(*reply);
  const auto document = net::parse_json_object(reply->body);
  return document ? net::text_at(*document, "generation") : std::string();
}

std::optional<LockInfo> GcsClient::record() {
  base::Url url = storage_.object_url(lock_);
  url.query = "alt=media";
  const auto reply = storage_.ask({.url = {}, .limit = kMaxLockRecordSize}, url, false);
  return reply && reply->status == 200 ? parse_lock_info(reply->body) : std::nullopt;
}

LockAnswer GcsClient::lock(LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  info.path = fmt::format("gs://{}/{}", storage_.settings().bucket, lock_);
  base::Url url = storage_.upload_url(lock_);
  url.query += "&ifGenerationMatch=0";
  const auto reply = storage_.ask(upload(url, lock_info_json(info)), url, false);
  if (!reply) return {Verdict::Failed, {}, reply.error().what};
  if (reply->status == 200) {
    const auto document = net::parse_json_object(reply->body);
    info.id = document ? net::text_at(*document, "generation") : std::string();
    if (info.id.empty()) return {Verdict::Failed, {}, "the lock that was made has no generation"};
    return {};
  }
  if (reply->status != 412) return {Verdict::Failed, {}, storage_.refusal(*reply).what};
  auto holder = record();
  const auto number = generation();
  if (holder && number && !number->empty()) {
    const bool is_ours = holder->id == info.id;
    holder->id = *number;
    if (is_ours) {
      info.id = *number;
      return {};
    }
  }
  return {Verdict::Held, std::move(holder), fmt::format("the object {:?} exists", lock_)};
}

base::Result<void> GcsClient::unlock(const std::string& id) {
  if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos) {
    return base::Error{"the ID of a lock of this backend is a number"};
  }
  base::Url url = storage_.object_url(lock_);
  url.query = "ifGenerationMatch=" + id;
  const auto reply = storage_.ask({.url = {}, .method = "DELETE"}, url, false);
  if (!reply) return reply.error();
  if (reply->status == 200 || reply->status == 204) return {};
  if (reply->status == 404)
    return base::Error{fmt::format("the object {:?} does not exist", lock_)};
  if (reply->status == 412) {
    return base::Error{fmt::format("the lock in the object {:?} is another one", lock_)};
  }
  return storage_.refusal(*reply);
}

std::unique_ptr<RemoteClient> GcsStorage::client(const std::string& workspace) {
  return std::make_unique<GcsClient>(*this, workspace);
}

}  // namespace

const Kind kGcsKind = remote_kind<GcsStorage, read_gcs_settings>("gcs", gcs_schema);

}  // namespace tofu::backends
