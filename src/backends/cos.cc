// States as objects of a bucket of Tencent Cloud's COS.
//
// A lock is an object beside the state. COS cannot create an object only if it does not exist. So
// every process that creates or reads the lock object first creates a tag of the account, which can
// exist only once. The digest of an object is in its metadata, and that of a lock is its ID. Names
// are OpenTofu's.
#include <fmt/format.h>
#include <stop_token>
#include <utility>

#include "backends/bucket.h"
#include "backends/kinds.h"
#include "backends/read_cancellation.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "backends/tencent_access.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/stop_wait.h"
#include "base/url.h"
#include "fetch/object_listing.h"
#include "functions/file_path.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

constexpr const char* kLockTag = "tencentcloud-terraform-lock";

struct CosSettings {
  TencentSettings tencent;
  base::Url bucket_url;
  std::string bucket;
  std::string prefix;
  std::string key;
  std::string acl;
  bool encrypt = true;

  std::string key_of(const std::string& workspace) const {
    return functions::join_paths(
        prefix, workspace == kDefaultWorkspace ? key : functions::join_paths(workspace, key));
  }
};

const schema::Block& cos_schema() {
  using value::Type;
  static const schema::Block kSchema = [] {
    std::vector<SettingSchema> settings = tencent_setting_schemas();
    settings.push_back({.name = "bucket", .about = "The bucket of the states."});
    settings.push_back({.name = "prefix", .about = "The folder of the states in it."});
    settings.push_back({.name = "key", .about = "The name of a state in its folder."});
    settings.push_back({.name = "encrypt",
                        .type = Type::boolean(),
                        .about = "Whether the server encrypts states."});
    settings.push_back({.name = "acl", .about = "private or public-read."});
    settings.push_back({.name = "accelerate",
                        .type = Type::boolean(),
                        .about = "Whether the bucket is reached by global acceleration."});
    return settings_schema(std::move(settings));
  }();
  return kSchema;
}

std::optional<CosSettings> read_cos_settings(const value::Value& values,
                                             const net::EnvironmentVariable& environment,
                                             diag::Diagnostics& diags) {
  const Settings settings("cos", values, environment, diags);
  CosSettings cos;
  cos.tencent = read_tencent_settings(settings);
  cos.bucket = settings.needed_text("bucket");
  cos.prefix = settings.text("prefix");
  if (cos.prefix.starts_with('/') || cos.prefix.starts_with("./")) {
    settings.refuse("prefix", "it begins with \"/\" or \"./\"");
  }
  while (cos.prefix.ends_with('/')) cos.prefix.pop_back();
  cos.key = settings.text("key", {}, "terraform.tfstate");
  if (cos.key.starts_with('/') || cos.key.ends_with('/')) {
    settings.refuse("key", "it begins or ends with a slash");
  }
  cos.encrypt = settings.flag("encrypt", {}, true);
  cos.acl = settings.text("acl", {}, "private");
  if (cos.acl != "private" && cos.acl != "public-read") {
    settings.refuse("acl", "it is neither private nor public-read");
  }
  if (!settings.ok()) return std::nullopt;
  auto url = net::parse_web_url(
      fmt::format("https://{}.cos.{}.myqcloud.com", cos.bucket,
                  settings.flag("accelerate") ? "accelerate" : cos.tencent.region));
  if (!url) {
    settings.refuse("bucket", url.error().what);
    return std::nullopt;
  }
  url->path.clear();
  cos.bucket_url = std::move(*url);
  return cos;
}

class CosStorage final : public RemoteStorage {
 public:
  CosStorage(CosSettings settings, const BackendContext& context)
      : settings_(std::move(settings)),
        access_(settings_.tencent, context),
        interrupts_(context.reading ? context.reading->interrupts() : std::stop_token()) {}

  std::string identity() const override {
    return fmt::format("cos://{}/{}", settings_.bucket, settings_.key_of("default"));
  }
  std::string service_address() const override { return settings_.bucket_url.authority(); }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const CosSettings& settings() const { return settings_; }
  const std::stop_token& interrupts() const { return interrupts_; }
  base::Result<WebReply> ask(WebRequest request, const std::string& key,
                             const std::string& query = {}) {
    base::Url url = settings_.bucket_url;
    url.path = "/" + base::escape_url(key, "/");
    url.query = query;
    return access_.ask_cos(std::move(request), url);
  }
  // The bytes, which fit the digest that is stored with them; nothing if there is no object.
  base::Result<std::optional<std::string>> get(const std::string& key, std::uint64_t limit);
  base::Result<void> put(const std::string& key, const std::string& bytes);
  // `retries`: instead of those of other requests.
  base::Result<void> remove_object(const std::string& key, std::optional<unsigned> retries = {});
  base::Error refusal(const WebReply& reply) const;

  // The code of an error, or empty. `action` as in CreateTag.
  base::Result<std::string> change_tag(const char* action, const std::string& tag);

 private:
  CosSettings settings_;
  TencentAccess access_;
  std::stop_token interrupts_;
};

base::Error CosStorage::refusal(const WebReply& reply) const {
  return bucket_refusal("COS", settings_.bucket, reply);
}

base::Result<std::optional<std::string>> CosStorage::get(const std::string& key,
                                                         std::uint64_t limit) {
  auto reply = ask({.url = {}, .limit = limit}, key);
  if (!reply) return std::move(reply).error();
  if (reply->status == 404 && bucket_error_code(*reply) != "NoSuchBucket") {
    return std::optional<std::string>();
  }
  if (reply->status != 200) return refusal(*reply);
  const std::string digest = base::hex_digest(base::Hash::Md5, reply->body);
  if (reply->header("x-cos-meta-md5") != digest) {
    return base::Error{fmt::format(
        "the object {:?} has the MD5 digest {:?}, and its metadata says {:?}, so it is not whole",
        key, digest, reply->header("x-cos-meta-md5"))};
  }
  return std::optional(std::move(reply->body));
}

base::Result<void> CosStorage::put(const std::string& key, const std::string& bytes) {
  WebRequest request{.url = {},
                     .method = "PUT",
                     .headers = {{"Content-Type", "application/json"},
                                 {"x-cos-acl", settings_.acl},
                                 {"x-cos-meta-md5", base::hex_digest(base::Hash::Md5, bytes)}},
                     .body = net::Secret(bytes, net::Origin(settings_.bucket_url))};
  if (settings_.encrypt) request.headers.push_back({"x-cos-server-side-encryption", "AES256"});
  const auto reply = ask(std::move(request), key);
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

base::Result<void> CosStorage::remove_object(const std::string& key,
                                             std::optional<unsigned> retries) {
  const auto reply = ask({.url = {}, .method = "DELETE", .retries = retries}, key);
  if (!reply) return reply.error();
  if (reply->status != 200 && reply->status != 204 && reply->status != 404) return refusal(*reply);
  return {};
}

base::Result<std::string> CosStorage::change_tag(const char* action, const std::string& tag) {
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.field("TagKey", kLockTag);
  writer.field("TagValue", tag);
  writer.end_object();
  const auto answer = access_.ask_service("tag", action, body);
  if (!answer) return answer.error();
  return answer->code;
}

base::Result<std::vector<std::string>> CosStorage::list() {
  const BucketStates states{settings_.prefix, settings_.key};
  return list_workspaces(states, [&](const std::string& marker) -> base::Result<fetch::ObjectPage> {
    std::string query = "prefix=" + base::escape_url(states.beginning());
    if (!marker.empty()) query = "marker=" + base::escape_url(marker) + "&" + query;
    const auto reply = ask({}, "", query);
    if (!reply) return reply.error();
    if (reply->status != 200) return refusal(*reply);
    return fetch::read_marked_page(reply->body);
  });
}

class CosClient final : public RemoteClient {
 public:
  CosClient(CosStorage& storage, const std::string& workspace)
      : storage_(storage),
        key_(storage.settings().key_of(workspace)),
        lock_key_(key_ + ".tflock"),
        tag_(base::hex_digest(base::Hash::Md5,
                              fmt::format("{}:{}", storage.settings().bucket, lock_key_))) {}

  base::Result<std::optional<std::string>> get() override {
    return storage_.get(key_, kMaxRemoteStateSize);
  }
  base::Result<void> put(const std::string& bytes) override { return storage_.put(key_, bytes); }
  base::Result<void> remove() override { return storage_.remove_object(key_); }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    const auto record = storage_.get(lock_key_, kMaxLockRecordSize);
    if (!record) return LockHold::Unknown;
    return *record && id_of(**record) == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  static std::string id_of(const std::string& record) {
    return base::hex_digest(base::Hash::Md5, record);
  }
  LockAnswer make_lock(const std::string& record, LockInfo& info);
  void release_tag();

  CosStorage& storage_;
  std::string key_;
  std::string lock_key_;
  std::string tag_;
};

// A tag that stays would block all other processes, so this is tried several times.
void CosClient::release_tag() {
  constexpr int kMaxAttempts = 5;
  constexpr std::chrono::milliseconds kPause(500);
  for (int tries = 0; tries < kMaxAttempts; ++tries) {
    const auto code = storage_.change_tag("DeleteTag", tag_);
    if (code && (code->empty() || code->starts_with("ResourceNotFound"))) return;
    // After an interrupt the tries that are left follow at once.
    (void)base::sleep_for(kPause, storage_.interrupts());
  }
}

// While the tag is held.
LockAnswer CosClient::make_lock(const std::string& record, LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  const auto there = storage_.get(lock_key_, kMaxLockRecordSize);
  if (!there) return {Verdict::Failed, {}, there.error().what};
  if (*there && **there != record) {
    auto holder = parse_lock_info(**there);
    if (holder) holder->id = id_of(**there);
    return {Verdict::Held, std::move(holder), fmt::format("the object {:?} exists", lock_key_)};
  }
  if (!*there) {
    if (const auto put = storage_.put(lock_key_, record); !put) {
      return {Verdict::Failed, {}, put.error().what};
    }
  }
  info.id = id_of(record);
  return {};
}

LockAnswer CosClient::lock(LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  info.path = lock_key_;
  const std::string record = lock_info_json(info);
  const auto code = storage_.change_tag("CreateTag", tag_);
  if (!code) return {Verdict::Failed, {}, code.error().what};
  if (code->find("Duplicate") != std::string::npos || code->starts_with("ResourceInUse")) {
    return {Verdict::Held,
            {},
            fmt::format("the tag {} with the value {} exists: another run is acquiring the lock, "
                        "or was killed while it did. In the second case, remove the tag",
                        kLockTag, tag_)};
  }
  if (!code->empty()) {
    return {Verdict::Failed, {}, fmt::format("the tag for it cannot be made: {}", *code)};
  }
  LockAnswer answer = make_lock(record, info);
  release_tag();
  return answer;
}

base::Result<void> CosClient::unlock(const std::string& id) {
  const auto holder = [this]() -> base::Result<std::optional<std::string>> {
    const auto record = storage_.get(lock_key_, kMaxLockRecordSize);
    if (!record) return record.error();
    if (!*record) return std::optional<std::string>();
    return std::optional(id_of(**record));
  };
  return remove_lock({lock_key_, holder, [this] { return storage_.remove_object(lock_key_, 0); }},
                     id);
}

std::unique_ptr<RemoteClient> CosStorage::client(const std::string& workspace) {
  return std::make_unique<CosClient>(*this, workspace);
}

}  // namespace

const Kind kCosKind = remote_kind<CosStorage, read_cos_settings>("cos", cos_schema);

}  // namespace tofu::backends
