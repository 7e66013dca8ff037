// One state at an address of the web, with GET, an update method and DELETE, and locks by
// requests of their own.
//
// User name, password, headers and client certificate go to the addresses that are
// configured, and to no other origin that one of them redirects to.
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

#include "archive/tree_hash.h"
#include "backends/kinds.h"
#include "backends/remote.h"
#include "backends/settings.h"
#include "base/ascii.h"
#include "base/base64.h"
#include "base/hashes.h"
#include "net/web.h"
#include "net/web_url.h"

namespace tofu::backends {

namespace {

using net::WebReply;
using net::WebRequest;

struct HttpSettings {
  base::Url address;
  std::optional<base::Url> lock_address;
  std::optional<base::Url> unlock_address;
  std::string update_method;
  std::string lock_method;
  std::string unlock_method;
  std::string user;
  std::string password;
  std::vector<std::pair<std::string, std::string>> headers;
  std::int64_t retries = 0;
  std::int64_t retry_wait = 0;  // seconds
  std::int64_t longest_retry_wait = 0;
  net::TlsOptions tls;
};

const schema::Block& http_schema() {
  using value::Type;
  static const schema::Block kSchema = settings_schema({
      {.name = "address", .about = "Where the state is."},
      {.name = "update_method", .about = "The method that stores the state; usually POST."},
      {.name = "lock_address",
       .about = "The URL for locking the state. Without it the state is not locked."},
      {.name = "unlock_address", .about = "Where the state is unlocked."},
      {.name = "lock_method", .about = "The method that locks; usually LOCK."},
      {.name = "unlock_method", .about = "The method that unlocks; usually UNLOCK."},
      {.name = "username", .about = "The user name of basic authentication."},
      {.name = "password", .about = "The password of basic authentication.", .sensitive = true},
      {.name = "skip_cert_verification",
       .type = Type::boolean(),
       .about = "Whether any certificate of the server will do."},
      {.name = "retry_max", .type = Type::number(), .about = "How often a request is repeated."},
      {.name = "retry_wait_min",
       .type = Type::number(),
       .about = "Seconds before the first repetition."},
      {.name = "retry_wait_max",
       .type = Type::number(),
       .about = "Seconds between repetitions at most."},
      {.name = "client_ca_certificate_pem", .about = "Authorities of the server's certificate."},
      {.name = "client_certificate_pem", .about = "The certificate of this client."},
      {.name = "client_private_key_pem", .about = "Its private key.", .sensitive = true},
      {.name = "headers", .type = Type::map(Type::string()), .about = "Headers of every request."},
  });
  return kSchema;
}

std::optional<base::Url> read_address(const Settings& settings, std::string_view name,
                                      const std::string& text) {
  auto url = net::parse_web_url(text);
  if (url) return std::move(*url);
  settings.refuse(name, "it is not the address of a web server, with http or https");
  return std::nullopt;
}

bool is_header_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return base::is_ascii_alphanumeric(c) || c == '-' || c == '_';
  });
}

bool is_header_value(std::string_view value) {
  const bool is_text = std::ranges::all_of(value, [](char c) { return c >= ' ' && c < '\x7f'; });
  return is_text && value.find_first_not_of(' ') != std::string_view::npos;
}

void read_headers(const Settings& settings, HttpSettings& http) {
  http.headers = settings.pairs("headers");
  for (const auto& [name, value] : http.headers) {
    const std::string lower = base::ascii_lower(name);
    if (!is_header_name(name)) {
      settings.refuse("headers", "the name of a header has letters, digits, - and _ only");
    } else if (!is_header_value(value)) {
      settings.refuse("headers", fmt::format("the header {:?} is empty or is not ASCII", name));
    } else if (lower == "content-type" || lower == "content-md5") {
      settings.refuse("headers", fmt::format("the header {:?} is set by the backend", name));
    } else if (lower == "authorization" && !http.user.empty()) {
      settings.refuse("headers",
                      fmt::format("the header {:?} and \"username\" exclude each other", name));
    }
  }
}

void read_security(const Settings& settings, HttpSettings& http) {
  http.tls.without_verification = settings.flag("skip_cert_verification");
  http.tls.authorities =
      settings.text("client_ca_certificate_pem", {"TF_HTTP_CLIENT_CA_CERTIFICATE_PEM"});
  http.tls.certificate =
      settings.text("client_certificate_pem", {"TF_HTTP_CLIENT_CERTIFICATE_PEM"});
  http.tls.private_key =
      settings.text("client_private_key_pem", {"TF_HTTP_CLIENT_PRIVATE_KEY_PEM"});
  constexpr std::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  if (!http.tls.authorities.empty() && http.tls.authorities.find(kBegin) == std::string::npos) {
    settings.refuse("client_ca_certificate_pem", "it contains no PEM certificate");
  }
  if (!http.tls.certificate.empty() && http.tls.certificate.find(kBegin) == std::string::npos) {
    settings.refuse("client_certificate_pem", "it contains no PEM certificate");
  }
  if (http.tls.certificate.empty() != http.tls.private_key.empty()) {
    settings.refuse(
        http.tls.certificate.empty() ? "client_private_key_pem" : "client_certificate_pem",
        "a certificate and its private key are given together");
  }
}

std::optional<HttpSettings> read_http_settings(const value::Value& values,
                                               const net::EnvironmentVariable& environment,
                                               diag::Diagnostics& diags) {
  const Settings settings("http", values, environment, diags);
  HttpSettings http;
  if (const std::string text = settings.needed_text("address", {"TF_HTTP_ADDRESS"});
      !text.empty()) {
    if (auto url = read_address(settings, "address", text)) http.address = std::move(*url);
  }
  if (const std::string text = settings.text("lock_address", {"TF_HTTP_LOCK_ADDRESS"});
      !text.empty()) {
    http.lock_address = read_address(settings, "lock_address", text);
  }
  if (const std::string text = settings.text("unlock_address", {"TF_HTTP_UNLOCK_ADDRESS"});
      !text.empty()) {
    http.unlock_address = read_address(settings, "unlock_address", text);
  }
  http.update_method = settings.text("update_method", {"TF_HTTP_UPDATE_METHOD"}, "POST");
  if (http.update_method.empty()) http.update_method = "POST";
  http.lock_method = settings.text("lock_method", {"TF_HTTP_LOCK_METHOD"}, "LOCK");
  http.unlock_method = settings.text("unlock_method", {"TF_HTTP_UNLOCK_METHOD"}, "UNLOCK");
  for (const auto& [name, method] : {std::pair("update_method", &http.update_method),
                                     std::pair("lock_method", &http.lock_method),
                                     std::pair("unlock_method", &http.unlock_method)}) {
    if (!is_header_name(*method)) settings.refuse(name, "it is not the name of a method");
  }
  http.user = settings.text("username", {"TF_HTTP_USERNAME"});
  http.password = settings.text("password", {"TF_HTTP_PASSWORD"});
  http.retries = settings.number("retry_max", {"TF_HTTP_RETRY_MAX"}, 2);
  http.retry_wait = settings.number("retry_wait_min", {"TF_HTTP_RETRY_WAIT_MIN"}, 1);
  http.longest_retry_wait = settings.number("retry_wait_max", {"TF_HTTP_RETRY_WAIT_MAX"}, 30);
  for (const auto& [name, number] :
       {std::pair("retry_max", http.retries), std::pair("retry_wait_min", http.retry_wait),
        std::pair("retry_wait_max", http.longest_retry_wait)}) {
    if (number < 0 || number > 86400) settings.refuse(name, "it is out of range");
  }
  read_headers(settings, http);
  read_security(settings, http);
  if (!settings.ok()) return std::nullopt;
  return http;
}

base::Error unexpected(const WebReply& reply) {
  if (reply.status == 401) return {"the server asks for a user name and a password (status 401)"};
  if (reply.status == 403) return {"the server refuses access (status 403)"};
  return {fmt::format("the server responded with status {}", reply.status)};
}

class HttpStorage final : public RemoteStorage {
 public:
  HttpStorage(HttpSettings settings, const BackendContext& context)
      : settings_(std::move(settings)),
        web_(options(settings_, context), no_cancellation()),
        clock_(context.clock) {}

  // The query may hold a token.
  std::string identity() const override {
    const base::Url& url = settings_.address;
    return fmt::format("{}://{}{}", url.scheme, url.authority(), url.path);
  }
  std::string distinction(const std::string&) const override {
    const std::string& query = settings_.address.query;
    return query.empty() ? query : "query " + base::sha256_hex(query).substr(0, 16);
  }
  bool has_workspaces() const override { return false; }
  base::Result<std::vector<std::string>> list() override { return std::vector<std::string>(); }
  base::Result<void> remove(const std::string&) override {
    return base::Error{"this backend has no workspaces"};
  }
  std::unique_ptr<RemoteClient> client(const std::string& workspace) override;

  const HttpSettings& settings() const { return settings_; }
  std::chrono::steady_clock::time_point now() const { return clock_(); }
  base::Result<WebReply> ask(const std::string& method, const base::Url& url, std::string body);

 private:
  static net::WebOptions options(const HttpSettings& settings, const BackendContext& context) {
    net::WebOptions options = backend_web_options(context);
    options.retries = static_cast<unsigned>(settings.retries);
    options.retry_wait = std::chrono::seconds(settings.retry_wait);
    options.longest_retry_wait = std::chrono::seconds(settings.longest_retry_wait);
    options.tls = settings.tls;
    return options;
  }

  HttpSettings settings_;
  net::Web web_;
  std::chrono::steady_clock::time_point (*clock_)();
};

base::Result<WebReply> HttpStorage::ask(const std::string& method, const base::Url& url,
                                        std::string body) {
  const net::Origin origin(url);
  WebRequest request{.url = url.to_string(), .method = method, .limit = kMaxRemoteStateSize};
  for (const auto& [name, value] : settings_.headers) {
    request.private_headers.push_back({name, net::Secret(value, origin)});
  }
  if (!settings_.user.empty()) {
    const net::Secret password(settings_.password, origin);
    request.private_headers.push_back(
        {"Authorization", net::basic_login(settings_.user, password)});
  }
  if (!body.empty()) {
    request.headers.push_back({"Content-Type", "application/json"});
    request.headers.push_back(
        {"Content-MD5", base::base64_encode(base::digest(base::Hash::Md5, body))});
    request.body = net::Secret(std::move(body), origin);
  }
  return web_.ask(request);
}

// After so long without a response from the server, the lock may have been removed or expired.
constexpr std::chrono::minutes kLongPause{1};

class HttpClient final : public RemoteClient {
 public:
  explicit HttpClient(HttpStorage& storage) : storage_(storage), settings_(storage.settings()) {}

  base::Result<std::optional<std::string>> get() override {
    auto reply = storage_.ask("GET", settings_.address, {});
    if (!reply) return std::move(reply).error();
    if (reply->status == 204 || reply->status == 404) return std::optional<std::string>();
    if (reply->status != 200) return unexpected(*reply);
    const std::string_view sum = reply->header("Content-MD5");
    if (!reply->body.empty() && !sum.empty() && !base::base64_decode(sum)) {
      return base::Error{"the header Content-MD5 of the answer is not base64"};
    }
    return std::optional(std::move(reply->body));
  }

  base::Result<void> put(const std::string& bytes) override {
    base::Url url = settings_.address;
    if (!lock_id_.empty()) {
      auto arguments = base::parse_url_query(url.query);
      std::erase_if(arguments, [](const auto& each) { return each.first == "ID"; });
      arguments.emplace_back("ID", lock_id_);
      url.query = base::format_url_query(std::move(arguments));
    }
    const auto reply = storage_.ask(settings_.update_method, url, bytes);
    if (!reply) return reply.error();
    const bool stored = reply->status == 200 || reply->status == 201 || reply->status == 204;
    if (stored) {
      confirmed_ = storage_.now();
      return {};
    }
    if (reply->status == 409 || reply->status == 423) {
      return base::Error{fmt::format(
          "the server responded with status {}: another run has locked the state", reply->status)};
    }
    return unexpected(*reply);
  }

  base::Result<void> remove() override {
    const auto reply = storage_.ask("DELETE", settings_.address, {});
    if (!reply) return reply.error();
    if (reply->status != 200) return unexpected(*reply);
    return {};
  }

  bool has_locks() const override { return settings_.lock_address.has_value(); }

  bool can_force_unlock() const override { return settings_.unlock_address.has_value(); }

  LockAnswer lock(LockInfo& info) override {
    if (!settings_.lock_address) return {};
    const auto reply =
        storage_.ask(settings_.lock_method, *settings_.lock_address, lock_info_json(info));
    using Verdict = LockAnswer::Verdict;
    if (!reply) return {Verdict::Failed, {}, reply.error().what};
    if (reply->status == 409 || reply->status == 423) {
      auto holder = parse_lock_info(reply->body);
      if (!holder && is_regained_ && lock_id_ == info.id) return {};
      if (holder && holder->id == info.id) lock_id_ = info.id;
      return {Verdict::Held, std::move(holder),
              fmt::format("the server says that another client holds the lock (status {})",
                          reply->status)};
    }
    if (reply->status != 200) return {Verdict::Failed, {}, unexpected(*reply).what};
    lock_id_ = info.id;
    held_ = info;
    confirmed_ = storage_.now();
    return {};
  }

  // Servers have no request that only looks at a lock. One that gives the lock again did not know
  // it any more, or gives it to its holder as often as asked; the state shows which.
  LockHold holds(const std::string& id) override {
    const auto now = storage_.now();
    if (!settings_.lock_address || !held_ || held_->id != id || now - confirmed_ < kLongPause) {
      return LockHold::Unknown;
    }
    const auto reply =
        storage_.ask(settings_.lock_method, *settings_.lock_address, lock_info_json(*held_));
    if (!reply) return LockHold::Unknown;
    is_regained_ = reply->status == 200;
    if (is_regained_) return LockHold::Lost;
    const auto holder = parse_lock_info(reply->body);
    if ((reply->status != 409 && reply->status != 423) || !holder) return LockHold::Unknown;
    if (holder->id != id) return LockHold::Lost;
    confirmed_ = now;
    return LockHold::Ours;
  }

  base::Result<void> unlock(const std::string& id) override {
    if (!settings_.unlock_address) return {};
    // Of a lock that another process took, only the ID is known.
    LockInfo info{.id = id,
                  .operation = {},
                  .who = {},
                  .version = {},
                  .created = "0001-01-01T00:00:00Z",
                  .path = {}};
    if (held_ && held_->id == id) info = *held_;
    const auto reply =
        storage_.ask(settings_.unlock_method, *settings_.unlock_address, lock_info_json(info));
    if (!reply) return reply.error();
    if (reply->status == 409 || reply->status == 423) {
      const auto holder = parse_lock_info(reply->body);
      return base::Error{fmt::format(
          "the server says that {} (status {})",
          holder && !holder->id.empty() ? "the lock is " + holder->id : "it is another lock",
          reply->status)};
    }
    if (reply->status != 200) return unexpected(*reply);
    lock_id_.clear();
    return {};
  }

 private:
  HttpStorage& storage_;
  const HttpSettings& settings_;
  std::string lock_id_;  // sent with what is stored
  std::optional<LockInfo> held_;
  std::chrono::steady_clock::time_point confirmed_;  // when the server last knew the lock
  bool is_regained_ = false;                         // by holds()
};

std::unique_ptr<RemoteClient> HttpStorage::client(const std::string&) {
  return std::make_unique<HttpClient>(*this);
}

}  // namespace

const Kind kHttpKind = remote_kind<HttpStorage, read_http_settings>("http", http_schema);

}  // namespace tofu::backends
