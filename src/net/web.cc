#include "net/web.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <mutex>
#include <unistd.h>
#include <utility>

#include "base/ascii.h"
#include "base/file.h"
#include "base/stop_wait.h"
#include "net/curl_library.h"
#include "net/web_transfer.h"
#include "net/web_url.h"

namespace tofu::net {

namespace {

constexpr int kMaxRedirects = 10;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

// As OpenTofu's client: an overloaded server, or one that fails for now.
bool worth_retrying(int status) { return status == 429 || (status >= 500 && status != 501); }

// How long a server asks clients to wait; nothing if it does not say.
std::optional<std::chrono::milliseconds> retry_after(const WebReply& reply) {
  if (reply.status != 429 && reply.status != 503) return std::nullopt;
  const std::string_view text = reply.header("Retry-After");
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::chrono::seconds(std::min(seconds, 60U));
}

bool has_line_break(std::string_view text) {
  return text.find_first_of(std::string_view("\r\n\0", 3)) != std::string_view::npos;
}

// Whether every secret of the request belongs to where it is sent, and no header is more
// than one line.
base::Result<void> check_secrets(const WebRequest& request, const Origin& origin) {
  const base::Error wrong_origin{
      fmt::format("a secret that belongs elsewhere is not sent to {}", origin.to_string())};
  const base::Error broken{"a header of the request has a line break in it"};
  for (const WebHeader& header : request.headers) {
    if (has_line_break(header.name) || has_line_break(header.value)) return broken;
  }
  for (const SecretHeader& header : request.private_headers) {
    const auto value = header.value.reveal_to(origin);
    if (!value) return wrong_origin;
    if (has_line_break(header.name) || has_line_break(*value)) return broken;
  }
  if (!request.body.is_empty() && !request.body.reveal_to(origin)) return wrong_origin;
  if (!request.signature) return {};
  for (const Secret* secret : {&request.signature->secret, &request.signature->session_token}) {
    if (!secret->is_empty() && !secret->reveal_to(origin)) return wrong_origin;
  }
  return {};
}

// The netrc file. One that cannot be read has no logins.
std::string read_logins(const WebRequest& request) {
  constexpr std::uint64_t kMaxFileSize = 1 << 20;
  if (request.netrc.empty()) return {};
  auto text = base::read_file(request.netrc, kMaxFileSize);
  return text ? std::move(*text) : std::string();
}

std::optional<NetrcLogin> login_for(const WebTransfer& transfer, std::string_view logins) {
  if (!transfer.url.userinfo.empty()) return std::nullopt;
  const auto others =
      transfer.with_secrets ? transfer.request.netrc_default : NetrcDefault::Ignored;
  return find_netrc_login(logins, transfer.url, others);
}

}  // namespace

std::string_view WebReply::header(std::string_view name) const {
  const auto found = std::ranges::find_if(headers, [&](const WebHeader& header) {
    return base::equal_ignoring_case(header.name, name);
  });
  return found == headers.end() ? std::string_view() : std::string_view(found->value);
}

struct Web::Impl {
  Impl(WebOptions the_options, const std::stop_token& with_stop)
      : options(std::move(the_options)), usual_stop(with_stop) {}

  WebOptions options;
  std::stop_token usual_stop;
  // Handles keep their connections open, so those of finished requests are used again.
  std::mutex lock;
  std::vector<CURL*> idle;

  std::stop_token request_stop() const {
    return options.request_stop ? options.request_stop() : usual_stop;
  }
  base::Result<WebReply> follow(const WebRequest& request, const std::string* path);
  base::Result<WebReply> send_with_retry(const WebTransfer& transfer, const std::stop_token& stop);
  base::Result<WebReply> try_once(const CurlLibrary& curl, const WebTransfer& transfer,
                                  const std::stop_token& stop, bool& again);
  void log_reply(const WebTransfer& transfer, const base::Result<WebReply>& reply,
                 std::chrono::steady_clock::duration took) const;
};

// Users, passwords and queries (which may be signed) are not logged, nor headers and bodies.
void Web::Impl::log_reply(const WebTransfer& transfer, const base::Result<WebReply>& reply,
                          std::chrono::steady_clock::duration took) const {
  options.log.debug([&] {
    return fmt::format("{} {}://{}{}: {} after {} ms", transfer.request.method, transfer.url.scheme,
                       transfer.url.authority(), transfer.url.path,
                       reply ? std::to_string(reply->status) : reply.error().what,
                       std::chrono::duration_cast<std::chrono::milliseconds>(took).count());
  });
}

base::Result<WebReply> Web::Impl::try_once(const CurlLibrary& curl, const WebTransfer& transfer,
                                           const std::stop_token& stop, bool& again) {
  CURL* handle = nullptr;
  {
    const std::lock_guard held(lock);
    if (!idle.empty()) {
      handle = idle.back();
      idle.pop_back();
    }
  }
  if (handle == nullptr) handle = curl.easy_init();
  if (handle == nullptr) return base::Error{"libcurl is out of memory"};
  auto reply = run_transfer(curl, handle, transfer, options, stop, again);
  if (!reply) {
    // libcurl keeps the buffer of an exchange that failed early, as at an unknown host. It then
    // refuses another size for it, also after a reset, so no request could be sent again.
    curl.easy_cleanup(handle);
    return reply;
  }
  curl.easy_reset(handle);
  const std::lock_guard held(lock);
  idle.push_back(handle);
  return reply;
}

base::Result<WebReply> Web::Impl::send_with_retry(const WebTransfer& transfer,
                                                  const std::stop_token& stop) {
  const auto& curl = curl_library();
  if (!curl) return curl.error();
  std::chrono::milliseconds pause = options.retry_wait;
  for (unsigned tried = 0;; ++tried) {
    bool again = false;
    const auto start = std::chrono::steady_clock::now();
    auto reply = try_once(*curl, transfer, stop, again);
    log_reply(transfer, reply, std::chrono::steady_clock::now() - start);
    if (reply) again = worth_retrying(reply->status);
    const unsigned allowed = transfer.request.retries.value_or(options.retries);
    const unsigned retries = transfer.request.deadline ? 0 : allowed;
    if (!again || tried >= retries || stop.stop_requested()) return reply;
    const auto asked = reply ? retry_after(*reply) : std::nullopt;
    const auto length = std::min(asked.value_or(pause), options.longest_retry_wait);
    if (!base::sleep_for(length, stop)) return reply;
    pause *= 2;
  }
}

base::Result<WebReply> Web::Impl::follow(const WebRequest& request, const std::string* path) {
  auto url = parse_web_url(request.url);
  if (!url) return std::move(url).error();
  if (auto right = check_secrets(request, Origin(*url)); !right) return right.error();
  WebTransfer transfer{*url, request, path};
  PartialFile partial;
  if (path != nullptr) transfer.partial = &partial;
  const std::string logins = read_logins(request);
  const std::stop_token stop = request_stop();
  for (int hop = 0; hop <= kMaxRedirects; ++hop) {
    transfer.login = login_for(transfer, logins);
    auto reply = send_with_retry(transfer, stop);
    if (partial.bytes > 0) ::unlink(path->c_str());
    partial = {};
    if (!reply) return reply;
    reply->url = transfer.url.to_string();
    const std::string_view location = reply->header("Location");
    if (!is_redirect(reply->status) || location.empty()) return reply;
    auto next = redirect_url(transfer.url, location);
    if (!next) return std::move(next).error();
    // For good: a way back would let the other host choose what the secret is used for.
    if (Origin(*next) != Origin(*url)) transfer.with_secrets = false;
    if (reply->status == 303 || (reply->status < 303 && transfer.request.method == "POST")) {
      transfer.without_body = true;
    }
    const bool has_body = !request.body.is_empty() || request.large_body != nullptr;
    if (!transfer.without_body && has_body && Origin(*next) != Origin(*url)) {
      return base::Error{
          fmt::format("{} redirects to {}, and a request body is not sent to another host",
                      url->authority(), next->authority())};
    }
    transfer.url = std::move(*next);
  }
  return base::Error{
      fmt::format("{} redirects too often, more than {} times", url->authority(), kMaxRedirects)};
}

Web::Web(WebOptions options, const std::stop_token& stop)
    : impl_(std::make_unique<Impl>(std::move(options), stop)) {}

Web::~Web() {
  for (CURL* handle : impl_->idle) curl_library()->easy_cleanup(handle);
}

base::Result<WebReply> Web::ask(const WebRequest& request) {
  return impl_->follow(request, nullptr);
}

base::Result<WebReply> Web::download(const WebRequest& request, const std::string& path) {
  return impl_->follow(request, &path);
}

std::stop_token Web::request_stop() const { return impl_->request_stop(); }

const base::Log& Web::log() const { return impl_->options.log; }

}  // namespace tofu::net
