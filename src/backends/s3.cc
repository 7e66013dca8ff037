// States as objects of a bucket of S3, or of what speaks like it.
//
// Locks are objects beside the states (use_lockfile), items of a table of DynamoDB, or
// both. With a table, the digest of each state is kept there as well, and a state that
// does not fit it is not used. Keys, items and their order are OpenTofu's.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <fmt/format.h>
#include <utility>

#include "backends/aws_access.h"
#include "backends/bucket.h"
#include "backends/digest_table.h"
#include "backends/dynamo_table.h"
#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/base64.h"
#include "base/hashes.h"
#include "base/url.h"
#include "fetch/object_listing.h"

namespace tofu::backends {

namespace {

using net::SecretHeader;
using net::WebReply;
using net::WebRequest;

constexpr std::string_view kWorkspacePrefix = "env:";

struct S3Settings {
  AwsSettings aws;
  std::string bucket;
  std::string key;
  std::string workspace_prefix;
  std::string acl;
  std::vector<std::pair<std::string, std::string>> state_tags;
  std::vector<std::pair<std::string, std::string>> lock_tags;
  bool encrypt = false;
  std::string kms_key;
  std::string customer_key;  // in bytes
  std::string table;
  bool use_lockfile = false;
  bool path_style = false;
  bool skip_checksum = false;

  std::string key_of(const std::string& workspace) const {
    if (workspace == kDefaultWorkspace) return key;
    return workspace_prefix.empty() ? fmt::format("{}/{}", workspace, key)
                                    : fmt::format("{}/{}/{}", workspace_prefix, workspace, key);
  }
};

const schema::Block& s3_schema() {
  using value::Type;
  static const schema::Block kSchema = [] {
    std::vector<SettingSchema> settings = aws_setting_schemas();
    const Type pairs = Type::map(Type::string());
    const Type flag = Type::boolean();
    for (const SettingSchema& each : std::initializer_list<SettingSchema>{
             {.name = "bucket", .about = "The bucket of the states."},
             {.name = "key", .about = "The key of the default workspace's state."},
             {.name = "workspace_key_prefix", .about = "Where keys of other workspaces begin."},
             {.name = "acl", .about = "A canned access control list for the stored objects."},
             {.name = "state_tags", .type = pairs, .about = "Tags of states."},
             {.name = "lock_tags", .type = pairs, .about = "Tags of locks."},
             {.name = "encrypt", .type = flag, .about = "Whether the server encrypts states."},
             {.name = "kms_key_id", .about = "The key of KMS that it does that with."},
             {.name = "sse_customer_key",
             .about = "The key that it does that with, in base64.",
             .sensitive = true},
             {.name = "dynamodb_table", .about = "A table for locks and digests."},
             {.name = "use_lockfile", .type = flag, .about = "Whether locks are objects."},
             {.name = "force_path_style", .type = flag, .deprecated = true},
             {.name = "use_path_style",
             .type = flag,
             .about = "Use path-style URLs (https://HOST/BUCKET/KEY)."},
             {.name = "skip_s3_checksum",
             .type = flag,
             .about = "Whether states are stored without a checksum."}}) {
      settings.push_back(each);
    }
    return settings_schema(std::move(settings));
  }();
  return kSchema;
}

bool is_hex_of(std::string_view text, std::size_t size) {
  return text.size() == size &&
         text.find_first_not_of("0123456789abcdefABCDEF-") == std::string_view::npos;
}

// A UUID, mrk-…, alias/… or an ARN of one of these.
bool is_kms_key(std::string_view key) {
  if (key.starts_with("arn:")) {
    const std::size_t last = key.rfind(':');
    std::string_view resource = key.substr(last + 1);
    if (resource.starts_with("alias/")) return resource.size() > 6;
    if (!resource.starts_with("key/")) return false;
    key = resource.substr(4);
  }
  if (key.starts_with("alias/")) return key.size() > 6;
  return key.starts_with("mrk-") ? is_hex_of(key.substr(4), 32) : is_hex_of(key, 36);
}

void read_encryption(const Settings& settings, S3Settings& s3) {
  s3.encrypt = settings.flag("encrypt");
  s3.kms_key = settings.text("kms_key_id");
  if (!s3.kms_key.empty() && !is_kms_key(s3.kms_key)) {
    settings.refuse("kms_key_id", "it is neither the ID nor the ARN of a key of KMS");
  }
  const std::string key = settings.text("sse_customer_key", {"AWS_SSE_CUSTOMER_KEY"});
  if (key.empty()) return;
  if (!s3.kms_key.empty()) {
    settings.refuse("kms_key_id",
                    "it excludes \"sse_customer_key\" and the variable AWS_SSE_CUSTOMER_KEY");
  }
  auto bytes = base::base64_decode(key);
  if (key.size() != 44 || !bytes) {
    settings.refuse("sse_customer_key", "it is not a key of 32 bytes in base64");
  } else {
    s3.customer_key = std::move(*bytes);
  }
}

std::optional<S3Settings> read_s3_settings(const value::Value& values,
                                           const net::EnvironmentVariable& environment,
                                           diag::Diagnostics& diags) {
  const Settings settings("s3", values, environment, diags);
  S3Settings s3;
  s3.aws = read_aws_settings(settings);
  s3.bucket = settings.needed_text("bucket");
  s3.key = settings.needed_text("key");
  if (s3.key.starts_with('/') || s3.key.ends_with('/')) {
    settings.refuse("key", "it begins or ends with a slash");
  }
  s3.workspace_prefix = settings.text("workspace_key_prefix", {}, kWorkspacePrefix);
  if (s3.workspace_prefix.starts_with('/') || s3.workspace_prefix.ends_with('/')) {
    settings.refuse("workspace_key_prefix", "it begins or ends with a slash");
  }
  s3.acl = settings.text("acl");
  s3.state_tags = settings.pairs("state_tags");
  s3.lock_tags = settings.pairs("lock_tags");
  read_encryption(settings, s3);
  s3.table = settings.text("dynamodb_table");
  s3.use_lockfile = settings.flag("use_lockfile");
  if (settings.has("force_path_style") && settings.has("use_path_style")) {
    settings.refuse("force_path_style", "it excludes \"use_path_style\"");
  }
  s3.path_style = settings.flag("use_path_style") || settings.flag("force_path_style");
  s3.skip_checksum = settings.flag("skip_s3_checksum");
  if (!settings.ok()) return std::nullopt;
  return s3;
}

bool is_address(const std::string& host) {
  std::array<unsigned char, 16> bytes;
  return host.starts_with('[') || ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1;
}

// Whether the name of the bucket can be part of a host name that certificates cover.
bool fits_host_name(const std::string& bucket, bool is_https) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  return bucket.find_first_not_of(kAllowed) == std::string::npos &&
         !(is_https && bucket.find('.') != std::string::npos);
}

// The address of the bucket, without a slash at its end.
base::Result<base::Url> bucket_url(const S3Settings& settings) {
  const AwsSettings& aws = settings.aws;
  std::string text = aws.s3_endpoint;
  if (text.empty()) {
    text = fmt::format("https://s3{}{}.{}.{}", aws.fips ? "-fips" : "",
                       aws.dual_stack ? ".dualstack" : "", aws.region, aws_domain(aws.region));
  }
  auto url = net::parse_web_url(text);
  if (!url) return url;
  if (url->path == "/") url->path.clear();
  const bool in_path = settings.path_style || is_address(url->host) ||
                       !fits_host_name(settings.bucket, url->scheme == "https");
  if (in_path) {
    url->path += "/" + base::escape_url(settings.bucket);
  } else {
    url->host = settings.bucket + "." + url->host;
  }
  return url;
}

class S3Storage final : public RemoteStorage {
 public:
  S3Storage(S3Settings settings, base::Url bucket, const BackendContext& context)
      : settings_(std::move(settings)),
        bucket_(std::move(bucket)),
        access_(settings_.aws, context),
        table_(access_, settings_.table) {}

  std::string identity() const override {
    return fmt::format("s3://{}/{}", settings_.bucket, settings_.key);
  }
  // Names of buckets are unique at Amazon alone.
  std::string service_address() const override {
    return settings_.aws.s3_endpoint.empty() ? std::string() : bucket_.authority();
  }
  std::string distinction(const std::string& workspace) const override {
    const std::string& prefix = settings_.workspace_prefix;
    if (workspace == kDefaultWorkspace || prefix == kWorkspacePrefix) return {};
    return fmt::format("workspaces in {:?}", prefix);
  }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const S3Settings& settings() const { return settings_; }
  DynamoTable& table() { return table_; }

  base::Result<WebReply> get(const std::string& key, std::uint64_t limit);
  base::Result<WebReply> put(const std::string& key, const base::TextPieces& bytes,
                             const std::vector<std::pair<std::string, std::string>>& tags,
                             bool only_new);
  // `retries`: instead of those that the settings say.
  base::Result<void> remove_object(const std::string& key, std::optional<unsigned> retries = {});
  base::Error refusal(const WebReply& reply) const;

 private:
  base::Url url_of(const std::string& key) const {
    base::Url url = bucket_;
    url.path += "/" + base::escape_url(key, "/");
    return url;
  }
  void add_customer_key(std::vector<SecretHeader>& headers) const;

  S3Settings settings_;
  base::Url bucket_;
  AwsAccess access_;
  DynamoTable table_;
};

base::Error S3Storage::refusal(const WebReply& reply) const {
  const std::string code = bucket_error_code(reply);
  if (code == "NoSuchBucket") {
    return {fmt::format("the bucket {:?} does not exist", settings_.bucket)};
  }
  if (reply.status == 301 || reply.status == 307) {
    const std::string_view region = reply.header("x-amz-bucket-region");
    return {fmt::format("the bucket {:?} is not in the region {:?}{}", settings_.bucket,
                        settings_.aws.region,
                        region.empty() ? "" : fmt::format(", but in {:?}", region))};
  }
  if (reply.status == 401 || reply.status == 403) {
    return {fmt::format("S3 refuses access (status {}{}{})", reply.status, code.empty() ? "" : ", ",
                        code)};
  }
  return {
      fmt::format("S3 responded with status {}{}{}", reply.status, code.empty() ? "" : ": ", code)};
}

void S3Storage::add_customer_key(std::vector<SecretHeader>& headers) const {
  if (!settings_.encrypt || settings_.customer_key.empty()) return;
  const net::Origin origin(bucket_);
  constexpr std::string_view kPrefix = "x-amz-server-side-encryption-customer-";
  const auto add = [&](const char* name, std::string text) {
    headers.push_back({fmt::format("{}{}", kPrefix, name), net::Secret(std::move(text), origin)});
  };
  add("algorithm", "AES256");
  add("key", base::base64_encode(settings_.customer_key));
  add("key-MD5", base::base64_encode(base::digest(base::Hash::Md5, settings_.customer_key)));
}

base::Result<WebReply> S3Storage::get(const std::string& key, std::uint64_t limit) {
  const base::Url url = url_of(key);
  WebRequest request{.url = url.to_string(), .limit = limit};
  add_customer_key(request.private_headers);
  return access_.ask(std::move(request), url, "s3");
}

base::Result<WebReply> S3Storage::put(const std::string& key, const base::TextPieces& bytes,
                                      const std::vector<std::pair<std::string, std::string>>& tags,
                                      bool only_new) {
  const base::Url url = url_of(key);
  const std::string digest = base::digest(base::Hash::Sha256, bytes);
  WebRequest request{.url = url.to_string(),
                     .method = "PUT",
                     .headers = {{"Content-Type", "application/json"}},
                     .large_body = &bytes,
                     .body_sha256 = base::to_hex(digest)};
  auto& headers = request.headers;
  if (only_new) headers.push_back({"If-None-Match", "*"});
  if (!settings_.skip_checksum) {
    headers.push_back({"x-amz-checksum-sha256", base::base64_encode(digest)});
  }
  if (settings_.encrypt && !settings_.kms_key.empty()) {
    headers.push_back({"x-amz-server-side-encryption", "aws:kms"});
    headers.push_back({"x-amz-server-side-encryption-aws-kms-key-id", settings_.kms_key});
  } else if (settings_.encrypt && settings_.customer_key.empty()) {
    headers.push_back({"x-amz-server-side-encryption", "AES256"});
  }
  if (!settings_.acl.empty()) headers.push_back({"x-amz-acl", settings_.acl});
  if (!tags.empty()) headers.push_back({"x-amz-tagging", base::format_url_query(tags)});
  add_customer_key(request.private_headers);
  return access_.ask(std::move(request), url, "s3");
}

base::Result<void> S3Storage::remove_object(const std::string& key,
                                            std::optional<unsigned> retries) {
  const base::Url url = url_of(key);
  const auto reply = access_.ask(
      WebRequest{.url = url.to_string(), .method = "DELETE", .retries = retries}, url, "s3");
  if (!reply) return reply.error();
  if (reply->status != 200 && reply->status != 204 && reply->status != 404) return refusal(*reply);
  return {};
}

base::Result<std::vector<std::string>> S3Storage::list() {
  constexpr std::uint64_t kMaxPageSize = std::uint64_t{8} << 20;
  const BucketStates states{settings_.workspace_prefix, settings_.key};
  return list_workspaces(states, [&](const std::string& next) -> base::Result<fetch::ObjectPage> {
    base::Url url = bucket_;
    if (url.path.empty()) url.path = "/";
    // In the order that a signature needs.
    if (!next.empty()) url.query = "continuation-token=" + base::escape_url(next) + "&";
    url.query += "encoding-type=url&list-type=2&prefix=" + base::escape_url(states.beginning());
    const auto reply =
        access_.ask(WebRequest{.url = url.to_string(), .limit = kMaxPageSize}, url, "s3");
    if (!reply) return reply.error();
    // The default workspace can be used by those who may not list.
    if (reply->status == 403 && bucket_error_code(*reply) == "AccessDenied") {
      return fetch::ObjectPage{};
    }
    if (reply->status != 200) return refusal(*reply);
    return fetch::read_s3_page(reply->body);
  });
}

class S3Client final : public RemoteClient {
 public:
  S3Client(S3Storage& storage, const std::string& workspace)
      : storage_(storage),
        key_(storage.settings().key_of(workspace)),
        checked_(storage.table(), item_key()) {}

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

  bool has_locks() const override {
    return storage_.settings().use_lockfile || storage_.table().is_used();
  }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override;

 private:
  std::string lock_key() const { return key_ + ".tflock"; }
  std::string item_key() const { return fmt::format("{}/{}", storage_.settings().bucket, key_); }
  base::Result<std::optional<std::string>> get_object();
  base::Result<void> put_object(const base::TextPieces& bytes);
  base::Result<std::optional<LockInfo>> lock_record();
  LockAnswer lock_object(const LockInfo& info);
  base::Result<void> unlock_object(const std::string& id);

  S3Storage& storage_;
  std::string key_;
  CheckedState checked_;
};

base::Result<std::optional<std::string>> S3Client::get_object() {
  auto reply = storage_.get(key_, kMaxRemoteStateSize);
  if (!reply) return std::move(reply).error();
  if (reply->status == 404 && bucket_error_code(*reply) != "NoSuchBucket") {
    return std::optional<std::string>();
  }
  if (reply->status != 200) return storage_.refusal(*reply);
  if (reply->body.empty()) return std::optional<std::string>();
  return std::optional(std::move(reply->body));
}

base::Result<void> S3Client::put_object(const base::TextPieces& bytes) {
  const auto reply = storage_.put(key_, bytes, storage_.settings().state_tags, false);
  if (!reply) return reply.error();
  if (reply->status != 200) return storage_.refusal(*reply);
  return {};
}

base::Result<void> S3Client::remove() {
  if (auto removed = storage_.remove_object(key_); !removed) return removed;
  return checked_.removed();
}

base::Result<std::optional<LockInfo>> S3Client::lock_record() {
  const auto reply = storage_.get(lock_key(), kMaxLockRecordSize);
  if (!reply) return reply.error();
  if (reply->status == 404) return std::optional<LockInfo>();
  if (reply->status != 200) return storage_.refusal(*reply);
  auto info = parse_lock_info(reply->body);
  if (!info) return base::Error{fmt::format("the object {:?} is not a lock", lock_key())};
  return info;
}

LockAnswer S3Client::lock_object(const LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  const base::TextPieces record(lock_info_json(info));
  const auto reply = storage_.put(lock_key(), record, storage_.settings().lock_tags, true);
  if (!reply) return {Verdict::Failed, {}, reply.error().what};
  if (reply->status == 200) return {};
  // 409: two came at once, and one has to come again.
  if (reply->status != 412 && reply->status != 409) {
    return {Verdict::Failed, {}, storage_.refusal(*reply).what};
  }
  const auto holder = lock_record();
  return {Verdict::Held, holder ? *holder : std::nullopt,
          fmt::format("the object {:?} exists", lock_key())};
}

LockAnswer S3Client::lock(LockInfo& info) {
  info.path = item_key();
  const S3Settings& settings = storage_.settings();
  if (settings.use_lockfile) {
    LockAnswer answer = lock_object(info);
    const bool is_ours = answer.holder && answer.holder->id == info.id;
    if (answer.verdict != LockAnswer::Verdict::Locked && !is_ours) return answer;
  }
  if (!storage_.table().is_used()) return {};
  LockAnswer answer = storage_.table().lock(item_key(), info);
  const bool is_ours = answer.holder && answer.holder->id == info.id;
  if (answer.verdict == LockAnswer::Verdict::Locked || is_ours) return {};
  if (settings.use_lockfile) (void)unlock_object(info.id);
  return answer;
}

base::Result<void> S3Client::unlock_object(const std::string& id) {
  const auto holder = [this]() -> base::Result<std::optional<std::string>> {
    auto record = lock_record();
    if (!record) return record.error();
    if (!*record) return std::optional<std::string>();
    return std::optional(std::move((*record)->id));
  };
  return remove_lock({lock_key(), holder, [this] { return storage_.remove_object(lock_key(), 0); }},
                     id);
}

base::Result<void> S3Client::unlock(const std::string& id) {
  base::Result<void> object;
  if (storage_.settings().use_lockfile) object = unlock_object(id);
  base::Result<void> item;
  if (storage_.table().is_used()) item = storage_.table().unlock(item_key(), id);
  if (object && item) return {};
  if (object) return item;
  if (item) return object;
  return base::Error{fmt::format("{}; {}", object.error().what, item.error().what)};
}

LockHold S3Client::holds(const std::string& id) {
  if (storage_.settings().use_lockfile) {
    const auto holder = lock_record();
    if (!holder) return LockHold::Unknown;
    if (!*holder || (*holder)->id != id) return LockHold::Lost;
  }
  return storage_.table().is_used() ? storage_.table().holds(item_key(), id) : LockHold::Ours;
}

std::unique_ptr<RemoteClient> S3Storage::client(const std::string& workspace) {
  return std::make_unique<S3Client>(*this, workspace);
}

bool check_s3(const value::Value& values, const net::EnvironmentVariable& environment,
              diag::Diagnostics& diags) {
  return read_s3_settings(values, environment, diags).has_value();
}

std::unique_ptr<Backend> open_s3(const value::Value& values, const BackendContext& context,
                                 diag::Diagnostics& diags) {
  auto settings = read_s3_settings(values, context.environment, diags);
  if (!settings) return nullptr;
  auto url = bucket_url(*settings);
  if (!url) {
    diags.error("Invalid backend settings")
        .detail(fmt::format("The address of the bucket cannot be used: {}.", url.error().what));
    return nullptr;
  }
  return make_remote_backend(
      std::make_unique<S3Storage>(std::move(*settings), std::move(*url), context), context);
}

}  // namespace

const Kind kS3Kind = {"s3", s3_schema, check_s3, open_s3};

}  // namespace tofu::backends
