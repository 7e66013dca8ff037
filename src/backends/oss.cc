// States as objects of a bucket of Alibaba Cloud's OSS.
//
// Locks are rows of a table of TableStore, which has the digest of each state as well; a
// state that does not fit it is not used. Without a table there are no locks. Keys and rows
// are OpenTofu's.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "backends/alibaba_access.h"
#include "backends/bucket.h"
#include "backends/digest_table.h"
#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "backends/table_store.h"
#include "base/base64.h"
#include "base/hashes.h"
#include "base/url.h"
#include "fetch/object_listing.h"
#include "functions/file_path.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

struct OssSettings {
  AlibabaSettings alibaba;
  base::Url endpoint;
  std::string bucket;
  std::string prefix;
  std::string key;
  std::string acl;
  bool encrypt = false;
  base::Url table_endpoint;
  std::string table;

  std::string key_of(const std::string& workspace) const {
    return functions::join_paths(
        prefix, workspace == kDefaultWorkspace ? key : functions::join_paths(workspace, key));
  }
};

const schema::Block& oss_schema() {
  using value::Type;
  static const schema::Block kSchema = [] {
    std::vector<SettingSchema> settings = alibaba_setting_schemas();
    settings.push_back({.name = "bucket", .about = "The bucket of the states."});
    settings.push_back({.name = "prefix", .about = "The folder of the states in it."});
    settings.push_back({.name = "key", .about = "The name of a state in its folder."});
    settings.push_back({.name = "endpoint", .about = "The address of OSS."});
    settings.push_back({.name = "tablestore_endpoint", .about = "The address of TableStore."});
    settings.push_back({.name = "tablestore_table", .about = "A table for locks and digests."});
    settings.push_back({.name = "encrypt",
                        .type = Type::boolean(),
                        .about = "Whether the server encrypts states."});
    settings.push_back({.name = "acl", .about = "An access control list for states."});
    return settings_schema(std::move(settings));
  }();
  return kSchema;
}

// The address that a setting has, or another if it has none.
void read_address(const Settings& settings, std::string_view name, std::string text,
                  base::Url& into) {
  if (text.find("://") == std::string::npos) text = "https://" + text;
  auto url = net::parse_web_url(text);
  if (!url) return settings.refuse(name, url.error().what);
  url->path.clear();
  url->query.clear();
  into = std::move(*url);
}

std::optional<OssSettings> read_oss_settings(const value::Value& values,
                                             const net::EnvironmentVariable& environment,
                                             diag::Diagnostics& diags) {
  const Settings settings("oss", values, environment, diags);
  OssSettings oss;
  oss.alibaba = read_alibaba_settings(settings);
  oss.bucket = settings.needed_text("bucket");
  oss.prefix = settings.text("prefix", {}, "env:");
  if (oss.prefix.starts_with('/') || oss.prefix.starts_with("./")) {
    settings.refuse("prefix", "it begins with \"/\" or \"./\"");
  }
  while (oss.prefix.ends_with('/')) oss.prefix.pop_back();
  oss.key = settings.text("key", {}, "terraform.tfstate");
  if (oss.key.starts_with('/') || oss.key.ends_with('/')) {
    settings.refuse("key", "it begins or ends with a slash");
  }
  oss.encrypt = settings.flag("encrypt");
  oss.acl = settings.text("acl");
  const auto is_acl = [&](std::string_view each) { return oss.acl == each; };
  if (!oss.acl.empty() && !is_acl("private") && !is_acl("public-read") &&
      !is_acl("public-read-write")) {
    settings.refuse("acl", "it is not one of private, public-read and public-read-write");
  }
  std::string endpoint = settings.text("endpoint", {"ALICLOUD_OSS_ENDPOINT", "OSS_ENDPOINT"});
  if (endpoint.empty() && oss.alibaba.region.empty()) {
    settings.refuse("region", "the bucket is in some region: set it, or \"endpoint\"");
  } else {
    if (endpoint.empty()) endpoint = fmt::format("oss-{}.aliyuncs.com", oss.alibaba.region);
    read_address(settings, "endpoint", std::move(endpoint), oss.endpoint);
  }
  oss.table = settings.text("tablestore_table");
  const std::string table = settings.text("tablestore_endpoint", {"ALICLOUD_TABLESTORE_ENDPOINT"});
  if (!table.empty()) {
    read_address(settings, "tablestore_endpoint", table, oss.table_endpoint);
  } else if (!oss.table.empty()) {
    settings.refuse("tablestore_table", "it needs \"tablestore_endpoint\"");
  }
  if (!settings.ok()) return std::nullopt;
  return oss;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> bytes;
  return host.starts_with('[') || ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1;
}

class OssStorage final : public RemoteStorage {
 public:
  OssStorage(OssSettings settings, const BackendContext& context)
      : settings_(std::move(settings)),
        access_(settings_.alibaba, context),
        table_(access_, settings_.table_endpoint, settings_.table) {}

  std::string identity() const override {
    return fmt::format("oss://{}/{}", settings_.bucket, settings_.key_of("default"));
  }
  std::string service_address() const override { return settings_.endpoint.authority(); }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const OssSettings& settings() const { return settings_; }
  TableStore& table() { return table_; }

  // `query` has nothing that a signature names.
  base::Result<WebReply> ask(WebRequest request, const std::string& key,
                             const std::string& query = {}) {
    base::Url url = settings_.endpoint;
    if (is_address(url.host)) {
      url.path = "/" + settings_.bucket;
    } else {
      url.host = settings_.bucket + "." + url.host;
    }
    url.path += "/" + base::escape_url(key, "/");
    url.query = query;
    return access_.ask_oss(std::move(request), url, fmt::format("/{}/{}", settings_.bucket, key));
  }
  net::Origin origin() const {
    base::Url url = settings_.endpoint;
    if (!is_address(url.host)) url.host = settings_.bucket + "." + url.host;
    return net::Origin(url);
  }
  base::Error refusal(const WebReply& reply) const;

 private:
  OssSettings settings_;
  AlibabaAccess access_;
  TableStore table_;
};

base::Error OssStorage::refusal(const WebReply& reply) const {
  return bucket_refusal("OSS", settings_.bucket, reply);
}

base::Result<std::vector<std::string>> OssStorage::list() {
  const BucketStates states{settings_.prefix, settings_.key};
  return list_workspaces(states, [&](const std::string& marker) -> base::Result<fetch::ObjectPage> {
    std::string query = "max-keys=1000&prefix=" + base::escape_url(states.beginning());
    if (!marker.empty()) query += "&marker=" + base::escape_url(marker);
    const auto reply = ask({}, "", query);
    if (!reply) return reply.error();
    if (reply->status != 200) return refusal(*reply);
    return fetch::read_marked_page(reply->body);
  });
}

class OssClient final : public RemoteClient {
 public:
  OssClient(OssStorage& storage, const std::string& workspace)
      : storage_(storage),
        key_(storage.settings().key_of(workspace)),
        checked_(storage.table(), row_key()) {}

  base::Result<std::optional<std::string>> get() override {
    return checked_.get([this] { return get_object(); });
  }
  base::Result<void> put(const std::string& bytes) override {
    return put_pieces(base::TextPieces(bytes));
  }
  base::Result<void> put_pieces(const base::TextPieces& bytes) override {
    return checked_.put(bytes, [&] { return put_object(bytes); });
  }
  base::Result<void> remove() override;

  bool has_locks() const override { return storage_.table().is_used(); }
  LockAnswer lock(LockInfo& info) override {
    info.path = row_key();
    return storage_.table().lock(row_key(), info);
  }
  base::Result<void> unlock(const std::string& id) override {
    return storage_.table().unlock(row_key(), id);
  }
  LockHold holds(const std::string& id) override { return storage_.table().holds(row_key(), id); }

 private:
  std::string row_key() const { return fmt::format("{}/{}", storage_.settings().bucket, key_); }
  base::Result<std::optional<std::string>> get_object();
  base::Result<void> put_object(const base::TextPieces& bytes);

  OssStorage& storage_;
  std::string key_;
  CheckedState checked_;
};

base::Result<std::optional<std::string>> OssClient::get_object() {
  auto reply = storage_.ask({.url = {}, .limit = kMaxRemoteStateSize}, key_);
  if (!reply) return std::move(reply).error();
  if (reply->status == 404 && bucket_error_code(*reply) != "NoSuchBucket") {
    return std::optional<std::string>();
  }
  if (reply->status != 200) return storage_.refusal(*reply);
  if (reply->body.empty()) return std::optional<std::string>();
  return std::optional(std::move(reply->body));
}

base::Result<void> OssClient::put_object(const base::TextPieces& bytes) {
  WebRequest request{
      .url = {},
      .method = "PUT",
      .headers = {{"Content-Type", "application/json"},
                  {"Content-MD5", base::base64_encode(base::digest(base::Hash::Md5, bytes))}},
      .large_body = &bytes};
  const OssSettings& settings = storage_.settings();
  if (!settings.acl.empty()) request.headers.push_back({"x-oss-object-acl", settings.acl});
  if (settings.encrypt) request.headers.push_back({"x-oss-server-side-encryption", "AES256"});
  const auto reply = storage_.ask(std::move(request), key_);
  if (!reply) return reply.error();
  if (reply->status != 200) return storage_.refusal(*reply);
  return {};
}

base::Result<void> OssClient::remove() {
  const auto reply = storage_.ask({.url = {}, .method = "DELETE"}, key_);
  if (!reply) return reply.error();
  if (reply->status != 200 && reply->status != 204 && reply->status != 404) {
    return storage_.refusal(*reply);
  }
  return checked_.removed();
}

std::unique_ptr<RemoteClient> OssStorage::client(const std::string& workspace) {
  return std::make_unique<OssClient>(*this, workspace);
}

}  // namespace

const Kind kOssKind = remote_kind<OssStorage, read_oss_settings>("oss", oss_schema);

}  // namespace tofu::backends
