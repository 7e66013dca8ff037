// States as keys of Consul's key/value store.
//
// A lock is a key that is held by a session, which has to be renewed while the run lasts;
// the session is the ID of the lock. States that are larger than a value may be are split.
// Each write asks that the key is as it was read, so that a run which lost its lock without
// noticing overwrites nothing. Keys are OpenTofu's.
#include <algorithm>
#include <fmt/format.h>
#include <thread>
#include <utility>

#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/gzip.h"
#include "base/hashes.h"
#include "base/json_writer.h"
#include "base/stop_wait.h"
#include "base/url.h"
#include "net/json_fields.h"
#include "value/json.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

constexpr std::size_t kMaxValueSize = 524288;
// Says that a key is a lock, to all programs with Consul's own library.
constexpr const char* kLockFlags = "3304740253564472344";
constexpr std::chrono::seconds kRenewal(5);  // of a session that lives for 15

struct ConsulSettings {
  base::Url address;
  std::string path;
  std::string token;
  std::string user;
  std::string password;
  std::string datacenter;
  bool compress = false;
  bool lock = true;
  net::TlsOptions tls;

  std::string key_of(const std::string& workspace) const {
    return workspace == kDefaultWorkspace ? path : path + "-env:" + workspace;
  }
};

const schema::Block& consul_schema() {
  using value::Type;
  static const schema::Block kSchema = settings_schema({
      {.name = "path", .about = "The key of the default workspace's state."},
      {.name = "address", .about = "Host and port of Consul."},
      {.name = "scheme", .about = "http or https."},
      {.name = "access_token", .about = "An access token.", .sensitive = true},
      {.name = "datacenter", .about = "The datacenter."},
      {.name = "http_auth", .about = "USER or USER:PASSWORD.", .sensitive = true},
      {.name = "gzip", .type = Type::boolean(), .about = "Whether states are compressed."},
      {.name = "lock", .type = Type::boolean(), .about = "Whether states are locked."},
      {.name = "ca_file", .about = "A file with authorities to trust."},
      {.name = "cert_file", .about = "A file with the certificate of this client."},
      {.name = "key_file", .about = "A file with its private key."},
  });
  return kSchema;
}

void read_security(const Settings& settings, ConsulSettings& consul) {
  const auto read = [&](std::string_view name, std::string_view variable, std::string& into) {
    const std::string path = settings.text(name, {variable});
    if (path.empty()) return;
    auto text = base::read_file(path, std::uint64_t{16} << 20);
    if (text) {
      into = std::move(*text);
    } else {
      settings.refuse(name, fmt::format("reading it failed: {}", text.error().what));
    }
  };
  read("ca_file", "CONSUL_CACERT", consul.tls.authorities);
  read("cert_file", "CONSUL_CLIENT_CERT", consul.tls.certificate);
  read("key_file", "CONSUL_CLIENT_KEY", consul.tls.private_key);
  if (consul.tls.certificate.empty() != consul.tls.private_key.empty()) {
    settings.refuse("cert_file", "a certificate and its private key are given together");
  }
  const std::string verify = settings.variable("CONSUL_HTTP_SSL_VERIFY");
  consul.tls.without_verification = verify == "false" || verify == "0";
}

std::optional<ConsulSettings> read_consul_settings(const value::Value& values,
                                                   const net::EnvironmentVariable& environment,
                                                   diag::Diagnostics& diags) {
  const Settings settings("consul", values, environment, diags);
  ConsulSettings consul;
  consul.path = settings.needed_text("path");
  const auto set_or_variable = [&](std::string_view name, std::string_view variable) {
    std::string text = settings.text(name);
    return text.empty() ? settings.variable(variable) : text;
  };
  std::string address = set_or_variable("address", "CONSUL_HTTP_ADDR");
  if (address.empty()) address = "127.0.0.1:8500";
  const std::string tls = settings.variable("CONSUL_HTTP_SSL");
  std::string scheme = settings.text("scheme");
  if (scheme.empty()) scheme = tls == "true" || tls == "1" ? "https" : "http";
  if (address.find("://") == std::string::npos) address = fmt::format("{}://{}", scheme, address);
  auto url = net::parse_web_url(address);
  if (url) {
    consul.address = std::move(*url);
    while (consul.address.path.ends_with('/')) consul.address.path.pop_back();
  } else {
    settings.refuse("address", url.error().what);
  }
  consul.token = set_or_variable("access_token", "CONSUL_HTTP_TOKEN");
  const std::string login = set_or_variable("http_auth", "CONSUL_HTTP_AUTH");
  consul.user = login.substr(0, login.find(':'));
  if (consul.user.size() < login.size()) consul.password = login.substr(consul.user.size() + 1);
  consul.datacenter = settings.text("datacenter");
  consul.compress = settings.flag("gzip");
  consul.lock = settings.flag("lock", {}, true);
  read_security(settings, consul);
  if (!settings.ok()) return std::nullopt;
  return consul;
}

// A key with its value; `index` changes whenever the key is written.
struct Pair {
  std::string value;
  std::string session;  // that holds it
  std::uint64_t index = 0;
};

class ConsulStorage final : public RemoteStorage {
 public:
  ConsulStorage(ConsulSettings settings, const BackendContext& context)
      : settings_(std::move(settings)),
        web_(
            [&] {
              net::WebOptions options = backend_web_options(context);
              options.retries = 2;
              options.tls = settings_.tls;
              return options;
            }(),
            no_cancellation()) {}

  std::string identity() const override {
    return fmt::format("the key {:?} of Consul at {}", settings_.path,
                       settings_.address.authority());
  }
  std::string service_address() const override { return settings_.datacenter; }
  base::Result<std::vector<std::string>> list() override;
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const ConsulSettings& settings() const { return settings_; }
  // `path` is below /v1, `arguments` is a query without the datacenter.
  base::Result<WebReply> ask(const char* method, const std::string& path,
                             const std::string& arguments = {}, const std::string& body = {});

  base::Result<std::optional<Pair>> get(const std::string& key);
  base::Result<void> put(const std::string& key, const std::string& value);
  base::Result<void> remove_key(const std::string& key, bool with_all_below = false);

 private:
  ConsulSettings settings_;
  net::Web web_;
};

base::Error refusal(const WebReply& reply) {
  if (reply.status == 401 || reply.status == 403) {
    return {fmt::format("Consul refuses access (status {})", reply.status)};
  }
  return {fmt::format("Consul responded with status {}", reply.status)};
}

std::string key_path(const std::string& key) { return "/kv/" + base::escape_url(key, "/"); }

base::Result<WebReply> ConsulStorage::ask(const char* method, const std::string& path,
                                          const std::string& arguments, const std::string& body) {
  base::Url url = settings_.address;
  url.path += "/v1" + path;
  url.query = arguments;
  if (!settings_.datacenter.empty()) {
    url.query += (url.query.empty() ? "dc=" : "&dc=") + base::escape_url(settings_.datacenter);
  }
  const net::Origin origin(url);
  WebRequest request{.url = url.to_string(), .method = method, .limit = kMaxRemoteStateSize};
  if (!settings_.token.empty()) {
    request.private_headers.push_back({"X-Consul-Token", net::Secret(settings_.token, origin)});
  }
  if (!settings_.user.empty()) {
    request.private_headers.push_back(
        {"Authorization",
         net::basic_login(settings_.user, net::Secret(settings_.password, origin))});
  }
  if (!body.empty()) {
    request.headers.push_back({"Content-Type", "application/octet-stream"});
    request.body = net::Secret(body, origin);
  }
  return web_.ask(request);
}

base::Result<std::optional<Pair>> ConsulStorage::get(const std::string& key) {
  const auto reply = ask("GET", key_path(key));
  if (!reply) return reply.error();
  if (reply->status == 404) return std::optional<Pair>();
  if (reply->status != 200) return refusal(*reply);
  const auto document = value::parse_json(reply->body);
  const base::Error wrong{"the answer of Consul is not a key with its value"};
  if (!document || document->kind() != value::Kind::Tuple ||
      document->unmarked().items().size() != 1) {
    return wrong;
  }
  const value::Value& item = document->unmarked().items()[0];
  const value::Value* index =
      item.kind() == value::Kind::Object ? item.unmarked().find("ModifyIndex") : nullptr;
  const std::int64_t number = index != nullptr && index->kind() == value::Kind::Number
                                  ? index->unmarked().as_number().to_int64().value_or(-1)
                                  : -1;
  auto bytes = base::base64_decode(net::text_at(item, "Value"));
  if (number < 0 || !bytes) return wrong;
  return std::optional(
      Pair{std::move(*bytes), net::text_at(item, "Session"), static_cast<std::uint64_t>(number)});
}

base::Result<void> ConsulStorage::put(const std::string& key, const std::string& value) {
  const auto reply = ask("PUT", key_path(key), {}, value);
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

base::Result<void> ConsulStorage::remove_key(const std::string& key, bool with_all_below) {
  const auto reply = ask("DELETE", key_path(key), with_all_below ? "recurse" : "");
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

base::Result<std::vector<std::string>> ConsulStorage::list() {
  const std::string prefix = settings_.path + "-env:";
  const auto reply = ask("GET", key_path(prefix), "keys&separator=%2F");
  if (!reply) return reply.error();
  std::vector<std::string> names;
  if (reply->status == 404) return names;
  if (reply->status != 200) return refusal(*reply);
  const auto document = value::parse_json(reply->body);
  if (!document || document->kind() != value::Kind::Tuple) {
    return base::Error{"the answer of Consul is not a list of keys"};
  }
  for (const value::Value& item : document->unmarked().items()) {
    if (item.kind() != value::Kind::String) continue;
    const std::string key(item.unmarked().as_string());
    // Chunks and locks are below the key of a workspace.
    if (key.starts_with(prefix) && key.find('/', prefix.size()) == std::string::npos) {
      names.push_back(key.substr(prefix.size()));
    }
  }
  return names;
}

// Keeps a session of Consul alive as long as this is there.
class Renewal {
 public:
  Renewal(ConsulStorage& storage, std::string session)
      : thread_([&storage, session = std::move(session)](const std::stop_token& stop) {
          while (base::sleep_for(kRenewal, stop)) {
            // Whether it worked is seen when the lock is looked at.
            (void)storage.ask("PUT", "/session/renew/" + base::escape_url(session)).ok();
          }
        }) {}

 private:
  std::jthread thread_;
};

class ConsulClient final : public RemoteClient {
 public:
  ConsulClient(ConsulStorage& storage, const std::string& workspace)
      : storage_(storage), key_(storage.settings().key_of(workspace)), lock_key_(key_) {
    while (lock_key_.ends_with('/')) lock_key_.pop_back();
  }

  base::Result<std::optional<std::string>> get() override;
  base::Result<void> put(const std::string& bytes) override;
  base::Result<void> remove() override;

  bool has_locks() const override { return storage_.settings().lock; }
  LockAnswer lock(LockInfo& info) override;
  base::Result<void> unlock(const std::string& id) override;
  LockHold holds(const std::string& id) override {
    const auto pair = storage_.get(lock_key_ + "/.lock");
    if (!pair) return LockHold::Unknown;
    return *pair && (*pair)->session == id ? LockHold::Ours : LockHold::Lost;
  }

 private:
  // How a state that was split is written: {"current-hash": …, "chunks": […]}
  struct Split {
    std::string hash;
    std::vector<std::string> chunks;
  };
  static std::optional<Split> split_of(const Pair& pair);
  base::Result<bool> store(const std::string& value);
  base::Result<void> store_split(const std::string& payload, const std::string& hash);
  base::Result<void> destroy_session(const std::string& id);

  ConsulStorage& storage_;
  std::string key_;
  std::string lock_key_;
  std::uint64_t index_ = 0;  // of the key as it was read or written; 0: it was not there
  std::string tried_;        // what was written last, perhaps without an answer
  std::optional<Renewal> renewal_;
  std::string session_;
};

std::optional<ConsulClient::Split> ConsulClient::split_of(const Pair& pair) {
  const auto document = net::parse_json_object(pair.value);
  if (!document) return std::nullopt;
  Split split{net::text_at(*document, "current-hash"), {}};
  const value::Value* chunks = document->unmarked().find("chunks");
  if (split.hash.empty() || chunks == nullptr || chunks->kind() != value::Kind::Tuple) {
    return std::nullopt;
  }
  for (const value::Value& item : chunks->unmarked().items()) {
    if (item.kind() != value::Kind::String) return std::nullopt;
    split.chunks.emplace_back(item.unmarked().as_string());
  }
  return split;
}

base::Result<std::optional<std::string>> ConsulClient::get() {
  auto pair = storage_.get(key_);
  if (!pair) return std::move(pair).error();
  if (!*pair) {
    index_ = 0;
    return std::optional<std::string>();
  }
  index_ = (*pair)->index;
  std::string payload;
  const auto split = split_of(**pair);
  if (split) {
    for (const std::string& key : split->chunks) {
      const auto chunk = storage_.get(key);
      if (!chunk) return chunk.error();
      if (!*chunk) return base::Error{fmt::format("the key {:?}, a part of it, is missing", key)};
      payload += (*chunk)->value;
      if (payload.size() > kMaxRemoteStateSize) return base::Error{"it is too large"};
    }
  } else {
    payload = std::move((*pair)->value);
  }
  if (payload.starts_with('\x1f')) {
    auto text = base::gunzip(payload, kMaxRemoteStateSize);
    if (!text) return std::move(text).error();
    payload = std::move(*text);
  }
  if (split && base::hex_digest(base::Hash::Md5, payload) != split->hash) {
    return base::Error{"its parts do not match each other"};
  }
  return std::optional(std::move(payload));
}

// False if it is too large for one value.
base::Result<bool> ConsulClient::store(const std::string& value) {
  std::string body;
  base::JsonWriter writer(body);
  writer.begin_array();
  writer.begin_object();
  writer.key("KV");
  writer.begin_object();
  writer.field("Verb", "cas");
  writer.field("Key", key_);
  writer.field("Value", base::base64_encode(value));
  writer.field("Index", index_);
  writer.end_object();
  writer.end_object();
  writer.end_array();
  const auto reply = storage_.ask("PUT", "/txn", {}, body);
  if (!reply) {
    tried_ = value;
    return reply.error();
  }
  if (reply->status == 413 || reply->body.find("too large") != std::string::npos) return false;
  if (reply->status == 409) {
    // Perhaps by this run, if the answer to the last write was lost.
    const auto now = storage_.get(key_);
    const bool is_ours = now && *now && !tried_.empty() && (*now)->value == tried_;
    if (!is_ours || (*now)->index == index_) {
      return base::Error{"the key was changed by another run since it was read"};
    }
    index_ = (*now)->index;
    return store(value);
  }
  tried_ = value;
  if (reply->status != 200) return refusal(*reply);
  const auto pair = storage_.get(key_);
  if (pair && *pair) index_ = (*pair)->index;
  return true;
}

base::Result<void> ConsulClient::store_split(const std::string& payload, const std::string& hash) {
  std::string link;
  base::JsonWriter writer(link);
  writer.begin_object();
  writer.key("chunks");
  writer.begin_array();
  std::size_t number = 0;
  for (std::size_t at = 0; at < payload.size(); at += kMaxValueSize) {
    const std::string key = fmt::format("{}/tfstate.{}/{}", lock_key_, hash, number++);
    if (auto put = storage_.put(key, payload.substr(at, kMaxValueSize)); !put) return put;
    writer.string(key);
  }
  writer.end_array();
  writer.field("current-hash", hash);
  writer.end_object();
  const auto stored = store(link);
  if (!stored) return stored.error();
  if (!*stored) return base::Error{"it is too large for Consul"};
  return {};
}

base::Result<void> ConsulClient::put(const std::string& bytes) {
  const auto before = storage_.get(key_);
  if (!before) return before.error();
  const auto old = *before ? split_of(**before) : std::nullopt;
  std::string payload = bytes;
  if (storage_.settings().compress) {
    auto compressed = base::gzip(bytes);
    if (!compressed) return compressed.error();
    payload = std::move(*compressed);
  }
  const std::string hash = base::hex_digest(base::Hash::Md5, bytes);
  const auto stored = payload.size() <= kMaxValueSize ? store(payload) : base::Result<bool>(false);
  if (!stored) return stored.error();
  if (!*stored) {
    if (auto split = store_split(payload, hash); !split) return split;
  }
  // Parts that nothing names any more; if this fails, they only waste space.
  if (old && old->hash != hash) {
    (void)storage_.remove_key(fmt::format("{}/tfstate.{}/", lock_key_, old->hash), true).ok();
  }
  return {};
}

base::Result<void> ConsulClient::remove() {
  const auto pair = storage_.get(key_);
  if (!pair) return pair.error();
  if (auto removed = storage_.remove_key(key_); !removed) return removed;
  index_ = 0;
  const auto split = *pair ? split_of(**pair) : std::nullopt;
  if (!split) return {};
  return storage_.remove_key(fmt::format("{}/tfstate.{}/", lock_key_, split->hash), true);
}

base::Result<void> ConsulClient::destroy_session(const std::string& id) {
  const auto reply = storage_.ask("PUT", "/session/destroy/" + base::escape_url(id));
  if (!reply) return reply.error();
  if (reply->status != 200) return refusal(*reply);
  return {};
}

LockAnswer ConsulClient::lock(LockInfo& info) {
  const auto failed = [](std::string why) {
    return LockAnswer{LockAnswer::Verdict::Failed, {}, std::move(why)};
  };
  const auto made = storage_.ask("PUT", "/session/create", {},
                                 R"({"Name":"Consul API Lock","TTL":"15s","LockDelay":"5s"})");
  if (!made) return failed(made.error().what);
  const auto document = net::parse_json_object(made->body);
  const std::string session = document ? net::text_at(*document, "ID") : std::string();
  if (made->status != 200 || session.empty()) return failed(refusal(*made).what);
  const auto acquired =
      storage_.ask("PUT", key_path(lock_key_ + "/.lock"),
                   fmt::format("acquire={}&flags={}", base::escape_url(session), kLockFlags));
  const bool is_locked = acquired && acquired->status == 200 && acquired->body.starts_with("true");
  if (!is_locked) {
    (void)destroy_session(session).ok();
    if (!acquired) return failed(acquired.error().what);
    if (acquired->status != 200) return failed(refusal(*acquired).what);
    const auto record = storage_.get(lock_key_ + "/.lockinfo");
    return {LockAnswer::Verdict::Held,
            record && *record ? parse_lock_info((*record)->value) : std::nullopt,
            fmt::format("the key {:?} is held by another session", lock_key_ + "/.lock")};
  }
  info.id = session;
  info.info = "consul session: " + session;
  info.path = key_;
  session_ = session;
  renewal_.emplace(storage_, session);
  if (const auto noted = storage_.put(lock_key_ + "/.lockinfo", lock_info_json(info)); !noted) {
    (void)unlock(session).ok();
    return failed(noted.error().what);
  }
  return {};
}

base::Result<void> ConsulClient::unlock(const std::string& id) {
  renewal_.reset();
  if (session_ != id) {
    const auto record = storage_.get(lock_key_ + "/.lockinfo");
    if (!record) return record.error();
    const auto holder = *record ? parse_lock_info((*record)->value) : std::nullopt;
    if (!holder) return base::Error{"the lock does not exist"};
    if (holder->id != id) {
      return base::Error{fmt::format("the lock is another one, {}", holder->id)};
    }
    (void)storage_.remove_key(lock_key_ + "/.lockinfo").ok();
  } else {
    session_.clear();
    (void)storage_.remove_key(lock_key_ + "/.lockinfo").ok();  // while no other client can have one
    // Given back rather than left to the end of the session, after which Consul waits. The
    // key stays: another session may hold it by now. Its flags must be said again, or it would
    // have none, and OpenTofu would not take it for a lock.
    const auto released =
        storage_.ask("PUT", key_path(lock_key_ + "/.lock"),
                     fmt::format("release={}&flags={}", base::escape_url(id), kLockFlags));
    if (!released) return released.error();
  }
  return destroy_session(id);
}

std::unique_ptr<RemoteClient> ConsulStorage::client(const std::string& workspace) {
  return std::make_unique<ConsulClient>(*this, workspace);
}

}  // namespace

const Kind kConsulKind = remote_kind<ConsulStorage, read_consul_settings>("consul", consul_schema);

}  // namespace tofu::backends
