// States as blobs of a container of Azure Storage.
//
// A lock is a lease on the blob of the state, with the record of the lock in the metadata
// of the blob. A blob that is written loses its metadata, so the record is sent again with
// each write. Names are OpenTofu's.
#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "backends/azure_access.h"
#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/base64.h"
#include "base/hashes.h"
#include "base/url.h"
#include "net/markup.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

constexpr std::string_view kLockMetadata = "x-ms-meta-terraformlockid";

struct AzureSettings {
  AzureAccessSettings access;
  std::string container;
  std::string key;
  bool snapshot = false;
  std::string customer_key;  // in bytes
  std::string encryption_scope;
};

const schema::Block& azurerm_schema() {
  using value::Type;
  static const schema::Block kSchema = [] {
    std::vector<SettingSchema> settings = azure_setting_schemas();
    settings.push_back({.name = "container_name", .about = "The container of the states."});
    settings.push_back({.name = "key", .about = "The blob of the default workspace's state."});
    settings.push_back({.name = "snapshot",
                        .type = Type::boolean(),
                        .about = "Keep a snapshot of the blob before it is overwritten."});
    settings.push_back({.name = "customer_provided_key",
                        .about = "A key for states, in base64.",
                        .sensitive = true});
    settings.push_back({.name = "encryption_scope", .about = "The encryption scope of states."});
    return settings_schema(std::move(settings));
  }();
  return kSchema;
}

bool is_container_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  return name.size() >= 3 && name.size() <= 63 && !name.starts_with('-') && !name.ends_with('-') &&
         name.find("--") == std::string_view::npos &&
         name.find_first_not_of(kAllowed) == std::string_view::npos;
}

std::optional<AzureSettings> read_azurerm_settings(const value::Value& values,
                                                   const net::EnvironmentVariable& environment,
                                                   diag::Diagnostics& diags) {
  const Settings settings("azurerm", values, environment, diags);
  AzureSettings azure;
  azure.access = read_azure_settings(settings);
  azure.container = settings.needed_text("container_name");
  if (!azure.container.empty() && !is_container_name(azure.container)) {
    settings.refuse("container_name",
                    "it has 3 to 63 small letters, digits and single hyphens between them");
  }
  azure.key = settings.needed_text("key");
  azure.snapshot = settings.flag("snapshot", {"ARM_SNAPSHOT"});
  azure.encryption_scope = settings.text("encryption_scope", {"ARM_ENCYRPTION_SCOPE"});
  const std::string key = settings.text("customer_provided_key", {"ARM_CUSTOMER_PROVIDED_KEY"});
  if (!key.empty()) {
    auto bytes = base::base64_decode(key);
    if (!bytes || bytes->size() != 32) {
      settings.refuse("customer_provided_key", "it is not a key of 32 bytes in base64");
    } else {
      azure.customer_key = std::move(*bytes);
    }
    if (!azure.encryption_scope.empty()) {
      settings.refuse("customer_provided_key", "it excludes \"encryption_scope\"");
    }
  }
  if (!settings.ok()) return std::nullopt;
  return azure;
}

base::Error refusal(const WebReply& reply) {
  const std::string code(reply.header("x-ms-error-code"));
  if (code == "ContainerNotFound") return {"the container does not exist"};
  if (reply.status == 401 || reply.status == 403) {
    return {fmt::format("Azure Storage refuses access (status {}{}{})", reply.status,
                        code.empty() ? "" : ", ", code)};
  }
  return {fmt::format("Azure Storage responded with status {}{}{}", reply.status,
                      code.empty() ? "" : ": ", code)};
}

class AzureStorage final : public RemoteStorage {
 public:
  AzureStorage(AzureSettings settings, const BackendContext& context)
      : settings_(std::move(settings)), access_(settings_.access, context) {}

  std::string identity() const override {
    return fmt::format("the blob {:?} in the container {:?} of the storage account {:?}",
                       settings_.key, settings_.container, settings_.access.account);
  }
  std::string service_address() const override { return settings_.access.metadata_host; }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const AzureSettings& settings() const { return settings_; }
  // `query` as in "comp=lease"; `request` has the method, headers and body.
  base::Result<WebReply> ask(WebRequest request, const std::string& blob,
                             const std::string& query = {}) {
    auto url = access_.endpoint();
    if (!url) return std::move(url).error();
    url->path += "/" + settings_.container;
    if (!blob.empty()) url->path += "/" + base::escape_url(blob, "/");
    url->query = query;
    return access_.ask(std::move(request), std::move(*url));
  }
  base::Result<net::Origin> origin() {
    const auto url = access_.endpoint();
    if (!url) return url.error();
    return net::Origin(*url);
  }

 private:
  AzureSettings settings_;
  AzureAccess access_;
};

base::Result<std::vector<std::string>> AzureStorage::list() {
  constexpr std::size_t kMaxPages = 1000;
  const std::string prefix = settings_.key + "env:";
  std::vector<std::string> names;
  std::string marker;
  for (std::size_t pages = 0; pages < kMaxPages; ++pages) {
    std::string query = "comp=list";
    if (!marker.empty()) query += "&marker=" + base::escape_url(marker);
    query += "&prefix=" + base::escape_url(prefix) + "&restype=container";
    const auto reply = ask({}, "", query);
    if (!reply) return reply.error();
    if (reply->status != 200) return refusal(*reply);
    const auto document = net::parse_xml(reply->body);
    const net::XmlElement* blobs = document ? document->child("Blobs") : nullptr;
    if (blobs == nullptr) return base::Error{"the answer is not a list of blobs"};
    for (const net::XmlElement& blob : blobs->children) {
      const std::string name = blob.text_of("Name");
      if (name.starts_with(prefix)) names.push_back(name.substr(prefix.size()));
    }
    marker = document->text_of("NextMarker");
    if (marker.empty()) return names;
  }
  return base::Error{"the list of blobs has too many pages"};
}

class AzureClient final : public RemoteClient {
 public:
  AzureClient(AzureStorage& storage, const std::string& workspace)
      : storage_(storage),
        blob_(workspace == kDefaultWorkspace ? storage.settings().key
                                             : storage.settings().key + "env:" + workspace) {}

  base::Result<std::optional<std::string>> get() override;
  base::Result<void> put(const std::string& bytes) override;
  base::Result<void> remove() override;

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    const auto holder = record();
    if (!holder) return LockHold::Unknown;
    return *holder && (*holder)->id == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  // With what every request to the blob has: its key, and the lease that is held.
  base::Result<WebReply> ask(WebRequest request, const std::string& query = {},
                             bool is_write = false);
  base::Result<std::optional<LockInfo>> record();
  base::Result<void> set_record(const std::string& encoded);
  LockAnswer held_by_another();

  AzureStorage& storage_;
  std::string blob_;
  std::string lease_;
  std::string record_;  // of the lock that is held, as it stands in the metadata
};

base::Result<WebReply> AzureClient::ask(WebRequest request, const std::string& query,
                                        bool is_write) {
  const AzureSettings& settings = storage_.settings();
  if (!lease_.empty() && is_write) request.headers.push_back({"x-ms-lease-id", lease_});
  if (!settings.customer_key.empty()) {
    const auto origin = storage_.origin();
    if (!origin) return origin.error();
    const std::string& key = settings.customer_key;
    request.headers.push_back({"x-ms-encryption-algorithm", "AES256"});
    request.headers.push_back(
        {"x-ms-encryption-key-sha256", base::base64_encode(base::digest(base::Hash::Sha256, key))});
    request.private_headers.push_back(
        {"x-ms-encryption-key", net::Secret(base::base64_encode(key), *origin)});
  } else if (is_write && !settings.encryption_scope.empty()) {
    request.headers.push_back({"x-ms-encryption-scope", settings.encryption_scope});
  }
  return storage_.ask(std::move(request), blob_, query);
}

base::Result<std::optional<std::string>> AzureClient::get() {
  auto reply = ask({.url = {}, .limit = kMaxRemoteStateSize});
  if (!reply) return std::move(reply).error();
  if (reply->status == 404 && reply->header("x-ms-error-code") != "ContainerNotFound") {
    return std::optional<std::string>();
  }
  if (reply->status != 200) return refusal(*reply);
  return std::optional(std::move(reply->body));
}

base::Result<void> AzureClient::put(const std::string& bytes) {
  if (storage_.settings().snapshot) {
    const auto reply = ask({.url = {}, .method = "PUT"}, "comp=snapshot", true);
    if (!reply) return reply.error();
    if (reply->status != 201 && reply->status != 404) return refusal(*reply);
  }
  const auto origin = storage_.origin();
  if (!origin) return origin.error();
  WebRequest request{.url = {},
                     .method = "PUT",
                     .headers = {{"x-ms-blob-type", "BlockBlob"},
                                 {"x-ms-blob-content-type", "application/json"},
                                 {"Content-Type", "application/json"}},
                     .body = net::Secret(bytes, *origin)};
  if (!record_.empty()) request.headers.push_back({std::string(kLockMetadata), record_});
  const auto reply = ask(std::move(request), {}, true);
  if (!reply) return reply.error();
  if (reply->status == 412) {
    return base::Error{"the blob has another lease: another client has locked the state"};
  }
  if (reply->status != 201) return refusal(*reply);
  return {};
}

base::Result<void> AzureClient::remove() {
  const auto reply = ask({.url = {}, .method = "DELETE"}, {}, true);
  if (!reply) return reply.error();
  if (reply->status != 202 && reply->status != 200 && reply->status != 404) return refusal(*reply);
  return {};
}

base::Result<std::optional<LockInfo>> AzureClient::record() {
  const auto reply = ask({.url = {}, .method = "HEAD"});
  if (!reply) return reply.error();
  if (reply->status == 404) return std::optional<LockInfo>();
  if (reply->status != 200) return refusal(*reply);
  const std::string_view text = reply->header(kLockMetadata);
  const auto json = base::base64_decode(text);
  if (text.empty() || !json) return std::optional<LockInfo>();
  return parse_lock_info(*json);
}

base::Result<void> AzureClient::set_record(const std::string& encoded) {
  WebRequest request{.url = {}, .method = "PUT"};
  if (!encoded.empty()) request.headers.push_back({std::string(kLockMetadata), encoded});
  const auto reply = ask(std::move(request), "comp=metadata", true);
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

LockAnswer AzureClient::held_by_another() {
  const auto holder = record();
  return {LockAnswer::Verdict::Held, holder ? *holder : std::nullopt, "its blob has a lease"};
}

LockAnswer AzureClient::lock(LockInfo& info) {
  const auto failed = [](std::string why) {
    return LockAnswer{LockAnswer::Verdict::Failed, {}, std::move(why)};
  };
  info.path = fmt::format("{}/{}", storage_.settings().container, blob_);
  // There is a lease only on what is there. One who comes in between is not overwritten.
  WebRequest make{.url = {},
                  .method = "PUT",
                  .headers = {{"x-ms-blob-type", "BlockBlob"},
                              {"x-ms-blob-content-type", "application/json"},
                              {"If-None-Match", "*"}}};
  const auto lease = [&] {
    return ask({.url = {},
                .method = "PUT",
                .headers = {{"x-ms-lease-action", "acquire"},
                            {"x-ms-lease-duration", "-1"},
                            {"x-ms-proposed-lease-id", info.id}}},
               "comp=lease");
  };
  auto reply = lease();
  if (reply && reply->status == 404 && reply->header("x-ms-error-code") != "ContainerNotFound") {
    const auto made = ask(std::move(make), {}, true);
    if (!made) return failed(made.error().what);
    const bool is_there = made->status == 201 || made->status == 409 || made->status == 412;
    if (!is_there) return failed(refusal(*made).what);
    reply = lease();
  }
  if (!reply) return failed(reply.error().what);
  if (reply->status == 409) return held_by_another();
  if (reply->status != 201 && reply->status != 200) return failed(refusal(*reply).what);
  lease_ = info.id;
  record_ = base::base64_encode(lock_info_json(info));
  if (const auto noted = set_record(record_); !noted) {
    (void)unlock(info.id);
    return failed(noted.error().what);
  }
  return {};
}

base::Result<void> AzureClient::unlock(const std::string& id) {
  if (lease_ != id) {
    const auto holder = record();
    if (!holder) return holder.error();
    if (!*holder) return base::Error{"the blob has no record of a lock"};
    if ((*holder)->id != id) {
      return base::Error{fmt::format("the lock is another one, {}", (*holder)->id)};
    }
  }
  lease_ = id;
  const auto forgotten = set_record("");
  record_.clear();
  const auto reply =
      ask({.url = {}, .method = "PUT", .headers = {{"x-ms-lease-action", "release"}}}, "comp=lease",
          true);
  lease_.clear();
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return forgotten;
}

std::unique_ptr<RemoteClient> AzureStorage::client(const std::string& workspace) {
  return std::make_unique<AzureClient>(*this, workspace);
}

}  // namespace

const Kind kAzurermKind =
    remote_kind<AzureStorage, read_azurerm_settings>("azurerm", azurerm_schema);

}  // namespace tofu::backends
