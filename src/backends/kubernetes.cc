// States as Secrets of a Kubernetes cluster.
//
// A state is compressed into the Secret of its workspace, and its lock is a Lease with the
// record of the lock as an annotation. Both are OpenTofu's, names and labels included. A
// Secret holds a mebibyte at most, and OpenTofu stores nothing larger. Here a larger state
// is split: parts go into Secrets of their own, and then the Secret of the workspace names
// them, in a way that OpenTofu refuses instead of taking it for an empty state.
//
// A Secret is replaced only if it holds what this run read from it or wrote to it, so a run
// that lost its lock without noticing overwrites nothing.
#include <algorithm>
#include <fmt/format.h>
#include <span>
#include <utility>

#include "backends/kinds.h"
#include "backends/kube_access.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/base64.h"
#include "base/gzip.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/url.h"
#include "net/json_fields.h"
#include "value/json.h"

namespace tofu::backends {

namespace {

using net::object_at;
using net::text_at;
using net::WebReply;
using value::Value;

constexpr std::string_view kStateKey = "tfstate";
constexpr std::string_view kLockAnnotation = "app.terraform.io/lock-info";
constexpr std::size_t kMaxSecretSize = std::size_t{1} << 20;  // of its values, together
constexpr std::uint64_t kMaxObjectSize = std::uint64_t{16} << 20;
constexpr int kMaxAttempts = 8;  // of a change that others get in the way of
// Begins the value of a Secret that names its parts instead of being compressed.
constexpr std::string_view kSplitMark = "split:";

using Labels = std::vector<std::pair<std::string, std::string>>;

struct KubernetesSettings {
  KubeCluster cluster;
  std::string suffix;
  std::string space;  // the namespace
  Labels labels;
};

const schema::Block& kubernetes_schema() {
  static const schema::Block kSchema = [] {
    std::vector<SettingSchema> settings = kube_setting_schemas();
    settings.push_back(
        {.name = "secret_suffix", .about = "Secrets are named tfstate-WORKSPACE-SUFFIX."});
    settings.push_back({.name = "labels",
                        .type = value::Type::map(value::Type::string()),
                        .about = "More labels for Secrets and Leases."});
    settings.push_back({.name = "namespace", .about = "The namespace of the Secrets."});
    return settings_schema(std::move(settings));
  }();
  return kSchema;
}

std::optional<KubernetesSettings> read_kubernetes_settings(
    const Value& values, const net::EnvironmentVariable& environment, diag::Diagnostics& diags) {
  const Settings settings("kubernetes", values, environment, diags);
  KubernetesSettings kubernetes;
  kubernetes.suffix = settings.needed_text("secret_suffix");
  kubernetes.space = settings.text("namespace", {"KUBE_NAMESPACE"}, "default");
  kubernetes.labels = settings.pairs("labels");
  kubernetes.cluster = read_kube_settings(settings);
  if (!settings.ok()) return std::nullopt;
  return kubernetes;
}

// A kind of object of the API.
enum class Resource : std::uint8_t { Secret, Lease };

std::string_view group_of(Resource kind) {
  return kind == Resource::Secret ? "/api/v1" : "/apis/coordination.k8s.io/v1";
}

class KubernetesStorage final : public RemoteStorage {
 public:
  KubernetesStorage(KubernetesSettings settings, const BackendContext& context)
      : settings_(std::move(settings)), access_(settings_.cluster, context) {}

  std::string identity() const override {
    return fmt::format("the Secrets with the suffix {:?} in the namespace {:?} of Kubernetes at {}",
                       settings_.suffix, settings_.space, access_.server().authority());
  }
  base::Result<std::vector<std::string>> list() override;
  base::Result<void> remove(const std::string& workspace) override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const KubernetesSettings& settings() const { return settings_; }
  base::Result<std::optional<Value>> get(Resource kind, const std::string& name);
  // Any status is an answer.
  base::Result<WebReply> create(Resource kind, const std::string& body) {
    return access_.ask({.path = path(kind), .method = "POST", .body = body});
  }
  base::Result<WebReply> replace(Resource kind, const std::string& name, const std::string& body) {
    return access_.ask({.path = path(kind, name), .method = "PUT", .body = body});
  }
  // Only what has our label.
  base::Result<void> remove_object(Resource kind, const std::string& name);

 private:
  std::string path(Resource kind, const std::string& name = {}) const {
    return fmt::format("{}/namespaces/{}/{}{}{}", group_of(kind), base::escape_url(settings_.space),
                       kind == Resource::Secret ? "secrets" : "leases", name.empty() ? "" : "/",
                       name);
  }

  KubernetesSettings settings_;
  KubeAccess access_;
};

base::Result<std::optional<Value>> KubernetesStorage::get(Resource kind, const std::string& name) {
  const auto reply = access_.ask({.path = path(kind, name), .limit = kMaxObjectSize});
  if (!reply) return reply.error();
  if (reply->status == 404) return std::optional<Value>();
  if (reply->status != 200) return kube_refusal(*reply);
  auto document = net::parse_json_object(reply->body);
  if (!document || object_at(*document, "metadata") == nullptr) {
    return base::Error{"the answer of the API server is not an object of Kubernetes"};
  }
  return std::optional(std::move(*document));
}

std::string label_of(const Value& object, std::string_view name) {
  const Value* metadata = object_at(object, "metadata");
  const Value* labels = metadata == nullptr ? nullptr : object_at(*metadata, "labels");
  return labels == nullptr ? std::string() : text_at(*labels, name);
}

base::Result<void> KubernetesStorage::remove_object(Resource kind, const std::string& name) {
  const auto found = get(kind, name);
  if (!found) return found.error();
  if (!*found) return {};
  if (label_of(**found, "tfstate") != "true") {
    return base::Error{fmt::format("{:?} does not have the label tfstate=true", name)};
  }
  const auto reply = access_.ask({.path = path(kind, name),
                                  .method = "DELETE",
                                  .body = R"({"kind":"DeleteOptions","apiVersion":"v1",)"
                                          R"("propagationPolicy":"Background"})"});
  if (!reply) return reply.error();
  if (reply->status != 200 && reply->status != 202 && reply->status != 404) {
    return kube_refusal(*reply);
  }
  return {};
}

base::Result<std::vector<std::string>> KubernetesStorage::list() {
  constexpr std::size_t kMaxPages = 1000;
  std::vector<std::string> names;
  std::string next;
  for (std::size_t pages = 0; pages < kMaxPages; ++pages) {
    // Without the states themselves, if the server can do that.
    const auto reply = access_.ask(
        {.path = path(Resource::Secret),
         .query = "labelSelector=tfstate%3Dtrue&limit=500" +
                  (next.empty() ? std::string() : "&continue=" + base::escape_url(next)),
         .accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
                   "application/json",
         .limit = kMaxRemoteStateSize});
    if (!reply) return reply.error();
    if (reply->status != 200) return kube_refusal(*reply);
    const auto document = net::parse_json_object(reply->body);
    const Value* items = document ? document->unmarked().find("items") : nullptr;
    if (items == nullptr || (!items->is_null() && items->kind() != value::Kind::Tuple)) {
      return base::Error{"the answer of the API server is not a list of Secrets"};
    }
    // An empty list without the states is null.
    for (const Value& item :
         items->is_null() ? std::span<const Value>() : items->unmarked().items()) {
      if (label_of(item, "tfstateSecretSuffix") != settings_.suffix) continue;
      std::string name = label_of(item, "tfstateWorkspace");
      if (!name.empty()) names.push_back(std::move(name));
    }
    const Value* metadata = object_at(*document, "metadata");
    next = metadata == nullptr ? std::string() : text_at(*metadata, "continue");
    if (next.empty()) {
      std::ranges::sort(names);
      names.erase(std::ranges::unique(names).begin(), names.end());
      return names;
    }
  }
  return base::Error{"the list of Secrets has too many pages"};
}

// Whether it can be the name of an object: a subdomain of DNS.
bool is_object_name(std::string_view name) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-.";
  const auto is_edge = [](char c) { return c == '-' || c == '.'; };
  if (name.empty() || name.size() > 253 || is_edge(name.front()) || is_edge(name.back())) {
    return false;
  }
  return name.find_first_not_of(kAllowed) == std::string_view::npos &&
         name.find("..") == std::string_view::npos && name.find(".-") == std::string_view::npos &&
         name.find("-.") == std::string_view::npos;
}

class KubernetesClient final : public RemoteClient {
 public:
  KubernetesClient(KubernetesStorage& storage, const std::string& workspace)
      : storage_(storage),
        workspace_(workspace),
        secret_(fmt::format("tfstate-{}-{}", workspace, storage.settings().suffix)),
        lease_("lock-" + secret_) {}

  base::Result<std::optional<std::string>> get() override;
  base::Result<void> put(const std::string& bytes) override;
  base::Result<void> remove() override;
  base::Result<void> remove_lease() { return storage_.remove_object(Resource::Lease, lease_); }

  bool has_locks() const override { return true; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    const auto lease = find_lease();
    if (!lease) return LockHold::Unknown;
    return *lease && holder_of(**lease) == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  base::Result<void> check_name() const;
  // The value of a Secret, in bytes; nothing if it has none.
  static base::Result<std::optional<std::string>> value_of(const std::optional<Value>& secret);
  base::Result<std::string> join(const std::string& value);
  base::Result<std::string> join_unnamed(std::string value);
  base::Result<void> store(const std::string& value);
  base::Result<std::string> store_parts(const std::string& compressed);
  void remove_parts_of(const std::string& value, const std::string& except);
  std::string secret_body(const Value* existing, const std::string& name, const std::string& value,
                          bool is_part) const;

  base::Result<std::optional<Value>> find_lease() {
    if (auto fits = check_name(); !fits) return fits.error();
    return storage_.get(Resource::Lease, lease_);
  }
  static std::optional<std::string> holder_of(const Value& lease);
  static std::optional<LockInfo> record_of(const Value& lease);
  std::string lease_body(const Value* existing, const LockInfo* info) const;
  void write_metadata(base::JsonWriter& writer, const Value* existing, const std::string& name,
                      const Labels& labels, const Labels& annotations) const;
  Labels labels(bool is_part = false) const;

  KubernetesStorage& storage_;
  std::string workspace_;
  std::string secret_;
  std::string lease_;
  // Digests of what the Secret had when it was read, and of what was written to it, perhaps
  // without an answer. Nothing was there: the digest of nothing.
  std::vector<std::string> known_;
};

std::string digest_of(const std::optional<std::string>& value) {
  return value ? base::digest(base::Hash::Sha256, *value) : std::string();
}

base::Result<void> KubernetesClient::check_name() const {
  if (is_object_name(secret_)) return {};
  return base::Error{fmt::format(
      "{:?} cannot be the name of a Secret: it may have small letters, digits, \"-\" and \".\" "
      "only, so choose another workspace name or \"secret_suffix\"",
      secret_)};
}

base::Result<std::optional<std::string>> KubernetesClient::value_of(
    const std::optional<Value>& secret) {
  const Value* data = secret ? object_at(*secret, "data") : nullptr;
  if (data == nullptr || data->unmarked().find(kStateKey) == nullptr) {
    return std::optional<std::string>();
  }
  auto bytes = base::base64_decode(text_at(*data, kStateKey));
  if (!bytes) return base::Error{"the value of its Secret is not base64"};
  return std::optional(std::move(*bytes));
}

// How a state that was split is written: split:NAME NAME …
base::Result<std::string> KubernetesClient::join(const std::string& value) {
  std::string joined;
  std::string_view names = std::string_view(value).substr(kSplitMark.size());
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    const std::string name(names.substr(0, space));
    names.remove_prefix(std::min(space + 1, names.size()));
    if (!is_object_name(name)) return base::Error{"its Secret names parts that cannot be there"};
    const auto secret = storage_.get(Resource::Secret, name);
    if (!secret) return secret.error();
    const auto part = value_of(*secret);
    if (!part) return part.error();
    if (!*part) return base::Error{fmt::format("the Secret {:?}, a part of it, is missing", name)};
    joined += **part;
    if (joined.size() > kMaxRemoteStateSize) return base::Error{"it is too large"};
  }
  return joined;
}

// Terraform splits, too: the Secret is full, and others with numbers go on.
base::Result<std::string> KubernetesClient::join_unnamed(std::string value) {
  std::size_t last = value.size();
  for (std::size_t number = 1; last == kMaxSecretSize; ++number) {
    const auto secret = storage_.get(Resource::Secret, fmt::format("{}-part-{}", secret_, number));
    if (!secret) return secret.error();
    if (!*secret) break;
    const auto part = value_of(*secret);
    if (!part) return part.error();
    last = *part ? (*part)->size() : 0;
    if (*part) value += **part;
    if (value.size() > kMaxRemoteStateSize) return base::Error{"it is too large"};
  }
  return value;
}

base::Result<std::optional<std::string>> KubernetesClient::get() {
  if (auto fits = check_name(); !fits) return fits.error();
  const auto secret = storage_.get(Resource::Secret, secret_);
  if (!secret) return secret.error();
  auto value = value_of(*secret);
  if (!value) return std::move(value).error();
  known_ = {digest_of(*value)};
  if (!*value) return std::optional<std::string>();
  auto compressed =
      (*value)->starts_with(kSplitMark) ? join(**value) : join_unnamed(std::move(**value));
  if (!compressed) return std::move(compressed).error();
  auto text = base::gunzip(*compressed, kMaxRemoteStateSize);
  if (!text) return std::move(text).error();
  return std::optional(std::move(*text));
}

Labels KubernetesClient::labels(bool is_part) const {
  Labels all = {{"tfstate", "true"}, {"app.kubernetes.io/managed-by", "terraform"}};
  if (is_part) {
    all.emplace_back("tfstatePart", "true");
  } else {  // what workspaces are found by
    all.emplace_back("tfstateSecretSuffix", storage_.settings().suffix);
    all.emplace_back("tfstateWorkspace", workspace_);
  }
  for (const auto& [name, text] : storage_.settings().labels) {
    std::erase_if(all, [&](const auto& each) { return each.first == name; });
    all.emplace_back(name, text);
  }
  return all;
}

void KubernetesClient::write_metadata(base::JsonWriter& writer, const Value* existing,
                                      const std::string& name, const Labels& labels,
                                      const Labels& annotations) const {
  const auto write_pairs = [&](const char* key, const Labels& pairs) {
    writer.key(key);
    writer.begin_object();
    for (const auto& [label, text] : pairs) writer.field(label, text);
    writer.end_object();
  };
  writer.begin_object();
  writer.field("name", name);
  writer.field("namespace", storage_.settings().space);
  if (existing != nullptr) writer.field("resourceVersion", text_at(*existing, "resourceVersion"));
  // Fields of other clients are kept.
  const auto merged = [&](const char* key, Labels pairs) {
    const Value* there = existing == nullptr ? nullptr : object_at(*existing, key);
    if (there == nullptr) return pairs;
    value::for_each_element(there->unmarked(), [&](const Value& label, const Value& text) {
      const std::string label_name(label.unmarked().as_string());
      const bool is_ours =
          std::ranges::find(pairs, label_name, &Labels::value_type::first) != pairs.end() ||
          label_name == kLockAnnotation;
      if (!is_ours && text.kind() == value::Kind::String) {
        pairs.emplace_back(label_name, text.unmarked().as_string());
      }
    });
    return pairs;
  };
  // Like OpenTofu, labels are given when an object is made, and then left to people.
  write_pairs("labels", existing == nullptr ? labels : merged("labels", {}));
  write_pairs("annotations", merged("annotations", annotations));
  writer.end_object();
}

std::string KubernetesClient::secret_body(const Value* existing, const std::string& name,
                                          const std::string& value, bool is_part) const {
  const Value* metadata = existing == nullptr ? nullptr : object_at(*existing, "metadata");
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.field("apiVersion", "v1");
  writer.field("kind", "Secret");
  writer.key("metadata");
  write_metadata(writer, metadata, name, labels(is_part), {{"encoding", "gzip"}});
  writer.key("data");
  writer.begin_object();
  writer.field(kStateKey, base::base64_encode(value));
  writer.end_object();
  const std::string type = existing == nullptr ? std::string() : text_at(*existing, "type");
  if (!type.empty()) writer.field("type", type);  // which cannot be changed
  writer.end_object();
  return body;
}

// Replaces the value of the Secret, unless another process has.
base::Result<void> KubernetesClient::store(const std::string& value) {
  const std::string wanted = digest_of(value);
  for (int tries = 0; tries < kMaxAttempts; ++tries) {
    const auto secret = storage_.get(Resource::Secret, secret_);
    if (!secret) return secret.error();
    const auto there = value_of(*secret);
    if (!there) return there.error();
    if (*there && digest_of(*there) == wanted) return {};  // the answer to this was lost
    if (!known_.empty() && std::ranges::find(known_, digest_of(*there)) == known_.end()) {
      return base::Error{
          fmt::format("the Secret {:?} was changed by another run since it was read", secret_)};
    }
    const auto reply =
        *secret ? storage_.replace(Resource::Secret, secret_,
                                   secret_body(&**secret, secret_, value, false))
                : storage_.create(Resource::Secret, secret_body(nullptr, secret_, value, false));
    known_.push_back(wanted);
    if (!reply) return reply.error();
    if (reply->status == 200 || reply->status == 201) return {};
    if (reply->status != 409) return kube_refusal(*reply);
  }
  return base::Error{fmt::format("others keep changing the Secret {:?}", secret_)};
}

// The value of the Secret that names them.
base::Result<std::string> KubernetesClient::store_parts(const std::string& compressed) {
  std::string value(kSplitMark);
  const std::string hash = base::hex_digest(base::Hash::Sha256, compressed).substr(0, 16);
  for (std::size_t at = 0, number = 0; at < compressed.size(); at += kMaxSecretSize, ++number) {
    const std::string name = fmt::format("{}-{}-{}", secret_, hash, number);
    if (!is_object_name(name)) {
      return base::Error{fmt::format("its Secrets would need too long names, such as {:?}", name)};
    }
    const auto reply = storage_.create(
        Resource::Secret, secret_body(nullptr, name, compressed.substr(at, kMaxSecretSize), true));
    if (!reply) return reply.error();
    // 409: it was there already, by a write whose answer was lost. The name is that of its
    // content.
    if (reply->status != 201 && reply->status != 200 && reply->status != 409) {
      return kube_refusal(*reply);
    }
    value += (number == 0 ? "" : " ") + name;
  }
  return value;
}

// Parts that nothing names any more; if this fails, they only waste space.
void KubernetesClient::remove_parts_of(const std::string& value, const std::string& except) {
  if (!value.starts_with(kSplitMark) || value == except) return;
  std::string_view names = std::string_view(value).substr(kSplitMark.size());
  while (!names.empty()) {
    const std::size_t space = std::min(names.find(' '), names.size());
    const std::string name(names.substr(0, space));
    names.remove_prefix(std::min(space + 1, names.size()));
    if (is_object_name(name)) (void)storage_.remove_object(Resource::Secret, name).ok();
  }
}

base::Result<void> KubernetesClient::put(const std::string& bytes) {
  if (auto fits = check_name(); !fits) return fits;
  auto value = base::gzip(bytes);
  if (!value) return std::move(value).error();
  const auto before = storage_.get(Resource::Secret, secret_);
  if (!before) return before.error();
  const auto old = value_of(*before);
  if (value->size() > kMaxSecretSize) value = store_parts(*value);
  if (!value) return std::move(value).error();
  if (auto stored = store(*value); !stored) return stored;
  if (old && *old) remove_parts_of(**old, *value);
  return {};
}

base::Result<void> KubernetesClient::remove() {
  if (auto fits = check_name(); !fits) return fits;
  const auto secret = storage_.get(Resource::Secret, secret_);
  if (!secret) return secret.error();
  if (!*secret) return {};
  const auto value = value_of(*secret);
  if (auto removed = storage_.remove_object(Resource::Secret, secret_); !removed) return removed;
  known_ = {digest_of(std::nullopt)};
  if (value && *value) remove_parts_of(**value, {});
  return {};
}

std::optional<std::string> KubernetesClient::holder_of(const Value& lease) {
  const Value* spec = object_at(lease, "spec");
  const Value* holder = spec == nullptr ? nullptr : spec->unmarked().find("holderIdentity");
  if (holder == nullptr || holder->kind() != value::Kind::String) return std::nullopt;
  return std::string(holder->unmarked().as_string());
}

std::optional<LockInfo> KubernetesClient::record_of(const Value& lease) {
  const Value* annotations = object_at(*object_at(lease, "metadata"), "annotations");
  auto info = annotations == nullptr ? std::nullopt
                                     : parse_lock_info(text_at(*annotations, kLockAnnotation));
  // The Lease is the lock; the record only informs.
  if (info) info->id = holder_of(lease).value_or(info->id);
  return info;
}

std::string KubernetesClient::lease_body(const Value* existing, const LockInfo* info) const {
  const Value* metadata = existing == nullptr ? nullptr : object_at(*existing, "metadata");
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_object();
  writer.field("apiVersion", "coordination.k8s.io/v1");
  writer.field("kind", "Lease");
  writer.key("metadata");
  write_metadata(
      writer, metadata, lease_, {},
      info == nullptr ? Labels{} : Labels{{std::string(kLockAnnotation), lock_info_json(*info)}});
  writer.key("spec");
  writer.begin_object();
  if (info != nullptr) writer.field("holderIdentity", info->id);
  writer.end_object();
  writer.end_object();
  return body;
}

LockAnswer KubernetesClient::lock(LockInfo& info) {
  using Verdict = LockAnswer::Verdict;
  for (int tries = 0; tries < kMaxAttempts; ++tries) {
    const auto lease = find_lease();
    if (!lease) return {Verdict::Failed, {}, lease.error().what};
    if (*lease) {
      const auto holder = holder_of(**lease);
      if (holder == info.id) return {};
      if (holder) {
        return {Verdict::Held, record_of(**lease),
                fmt::format("the Lease {:?} is held by {:?}", lease_, *holder)};
      }
    }
    const auto reply = *lease
                           ? storage_.replace(Resource::Lease, lease_, lease_body(&**lease, &info))
                           : storage_.create(Resource::Lease, lease_body(nullptr, &info));
    if (!reply) return {Verdict::Failed, {}, reply.error().what};
    if (reply->status == 200 || reply->status == 201) return {};
    // 409: another process was faster, or the response was lost. 404: it was removed.
    if (reply->status != 409 && reply->status != 404) {
      return {Verdict::Failed, {}, kube_refusal(*reply).what};
    }
  }
  return {Verdict::Held, {}, fmt::format("others keep changing the Lease {:?}", lease_)};
}

base::Result<void> KubernetesClient::unlock(const std::string& id) {
  for (int tries = 0; tries < kMaxAttempts; ++tries) {
    const auto lease = find_lease();
    if (!lease) return lease.error();
    const auto holder = *lease ? holder_of(**lease) : std::nullopt;
    if (holder != id) {
      if (tries > 0) return {};  // it was given back, and only the answer to that was lost
      if (!holder) return base::Error{fmt::format("the Lease {:?} has no holder", lease_)};
      return base::Error{fmt::format("the lock is another one, {}", *holder)};
    }
    const auto reply = storage_.replace(Resource::Lease, lease_, lease_body(&**lease, nullptr));
    if (!reply) return reply.error();
    if (reply->status == 200) return {};
    if (reply->status != 409 && reply->status != 404) return kube_refusal(*reply);
  }
  return base::Error{fmt::format("others keep changing the Lease {:?}", lease_)};
}

base::Result<void> KubernetesStorage::remove(const std::string& workspace) {
  KubernetesClient client(*this, workspace);
  if (auto removed = client.remove(); !removed) return removed;
  return client.remove_lease();
}

std::unique_ptr<RemoteClient> KubernetesStorage::client(const std::string& workspace) {
  return std::make_unique<KubernetesClient>(*this, workspace);
}

}  // namespace

const Kind kKubernetesKind =
    remote_kind<KubernetesStorage, read_kubernetes_settings>("kubernetes", kubernetes_schema);

}  // namespace tofu::backends
