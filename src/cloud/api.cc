#include "cloud/api.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <fmt/format.h>
#include <optional>

#include "base/stop_wait.h"
#include "net/web_url.h"

namespace tofu::cloud {

namespace {

using net::WebReply;
using net::WebRequest;

constexpr std::string_view kJsonApi = "application/vnd.api+json";
constexpr std::uint64_t kMaxAnswerSize = std::uint64_t{64} << 20;
constexpr unsigned kPatientRetries = 5;
constexpr unsigned kMaxWaits = 30;  // for a service that limits requests
constexpr unsigned kMaxPages = 1000;
constexpr auto kMaxWait = std::chrono::milliseconds(60'000);

// How long a service that limits requests asks to wait.
std::chrono::milliseconds retry_after(const WebReply& reply) {
  for (const std::string_view name : {"X-RateLimit-Reset", "Retry-After"}) {
    const std::string text(reply.header(name));
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || !(seconds >= 0)) continue;
    const double most = std::chrono::duration<double>(kMaxWait).count();
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::min(seconds, most) * 1000) +
                                     50);
  }
  return std::chrono::milliseconds(500);
}

Refusal refusal_of(const WebReply& reply) {
  const auto said = read_errors(reply.body);
  std::string what;
  if (!said.empty()) {
    what = fmt::format("the service answers: {} (status {})", fmt::join(said, "; "), reply.status);
  } else if (reply.status == 401) {
    what = "the service does not accept the token (status 401)";
  } else if (reply.status == 403) {
    what = "the token does not give the right to do this (status 403)";
  } else {
    what = fmt::format("the service responded with status {}", reply.status);
  }
  return {reply.status, std::move(what)};
}

bool is_good(const WebReply& reply) { return reply.status >= 200 && reply.status < 300; }

std::optional<std::pair<unsigned, unsigned>> read_version(std::string_view text) {
  unsigned major = 0;
  unsigned minor = 0;
  const char* end = text.data() + text.size();
  const auto [dot, wrong] = std::from_chars(text.data(), end, major);
  if (wrong != std::errc()) return std::nullopt;
  if (dot == end) return std::pair(major, 0U);
  if (*dot != '.') return std::nullopt;
  const auto [rest, also_wrong] = std::from_chars(dot + 1, end, minor);
  if (also_wrong != std::errc()) return std::nullopt;
  return std::pair(major, minor);
}

}  // namespace

struct Api::Question {
  std::string url;
  std::string method = std::string("GET");
  std::optional<std::string> body = {};
  std::string type = std::string(kJsonApi);    // of the body
  std::string accept = std::string(kJsonApi);  // of the answer
  bool with_token = true;
  bool may_repeat = true;
  std::uint64_t limit = kMaxAnswerSize;
};

Api::Api(net::Web& web, base::Url base, const net::Secret& token,
         std::vector<net::WebHeader> headers)
    : web_(web),
      base_(std::move(base)),
      authorization_(net::bearer_token(token.rescoped_to(net::Origin(base_)))),
      headers_(std::move(headers)) {}

bool Api::is_own(const base::Url& url) const { return net::Origin(url) == net::Origin(base_); }

bool Api::pause(std::chrono::milliseconds asked) const {
  constexpr std::chrono::milliseconds kInHurry{1000};
  if (const auto stop = web_.request_stop(); stop.stop_possible()) {
    return base::sleep_for(asked, stop);
  }
  if (!interrupts_.stop_requested() && base::sleep_for(asked, interrupts_)) return true;
  return base::sleep_for(std::min(asked, kInHurry), {});
}

ApiResult<WebReply> Api::ask(const Question& question) {
  const auto url = net::parse_web_url(question.url);
  if (!url) return Refusal{0, url.error().what};
  WebRequest request{.url = url->to_string(), .method = question.method, .limit = question.limit};
  request.headers = headers_;
  request.headers.push_back({"Accept", question.accept});
  if (question.with_token) request.private_headers.push_back({"Authorization", authorization_});
  if (question.body) {
    request.headers.push_back({"Content-Type", question.type});
    request.body = net::Secret(*question.body, net::Origin(*url));
  }
  request.retries = question.may_repeat && is_patient_ ? kPatientRetries : 0;
  for (unsigned waits = 0;; ++waits) {
    auto reply = web_.ask(request);
    if (!reply) return Refusal{0, reply.error().what};
    if (reply->status == 429 && waits < kMaxWaits) {
      if (!pause(retry_after(*reply))) return Refusal{0, "interrupted"};
      continue;
    }
    if (!is_good(*reply)) return refusal_of(*reply);
    return std::move(*reply);
  }
}

ApiResult<Document> Api::ask_document(const Question& question) {
  const auto reply = ask(question);
  if (!reply) return reply.error();
  auto document = read_document(reply->body);
  if (!document) return Refusal{0, document.error().what};
  return std::move(*document);
}

ApiResult<void> Api::handshake() {
  const auto url = net::resolve_web_url(base_, "ping");
  if (!url) return Refusal{0, url.error().what};
  WebRequest request{.url = url->to_string(), .limit = kMaxAnswerSize};
  request.headers = headers_;
  request.headers.push_back({"Accept", std::string(kJsonApi)});
  request.private_headers.push_back({"Authorization", authorization_});
  // Of any status: what counts is in the headers.
  const auto reply = web_.ask(request);
  if (!reply) return Refusal{0, reply.error().what};
  api_version_ = reply->header("TFP-API-Version");
  return {};
}

bool Api::is_at_least(unsigned major, unsigned minor) const {
  const auto version = read_version(api_version_);
  return version && *version >= std::pair(major, minor);
}

ApiResult<Document> Api::get(std::string_view path, base::UrlArguments query) {
  base::Url url = base_;
  url.path += path;
  url.query = base::format_url_query(std::move(query));
  return ask_document({.url = url.to_string()});
}

ApiResult<Resource> Api::read(std::string_view path, base::UrlArguments query) {
  auto document = get(path, std::move(query));
  if (!document) return document.error();
  if (document->data.size() != 1) return Refusal{0, "the answer is not one resource"};
  return std::move(document->data.front());
}

ApiResult<std::vector<Resource>> Api::list(std::string_view path, base::UrlArguments query) {
  std::vector<Resource> all;
  query.emplace_back("page[size]", "100");
  std::int64_t page = 1;
  for (unsigned read = 0; read < kMaxPages; ++read) {
    base::UrlArguments arguments = query;
    if (page > 1) arguments.emplace_back("page[number]", std::to_string(page));
    auto document = get(path, std::move(arguments));
    if (!document) return document.error();
    std::ranges::move(document->data, std::back_inserter(all));
    if (document->next_page <= page) return all;
    page = document->next_page;
  }
  return Refusal{0, "the answer has more pages than can be read"};
}

ApiResult<Resource> Api::create(std::string_view path, const std::string& json, bool may_repeat) {
  auto document = ask_document({.url = base_.to_string() + std::string(path),
                                .method = "POST",
                                .body = json,
                                .may_repeat = may_repeat});
  if (!document) return document.error();
  if (document->data.size() != 1) return Refusal{0, "the answer is not one resource"};
  return std::move(document->data.front());
}

ApiResult<Resource> Api::update(std::string_view path, const std::string& json) {
  auto document =
      ask_document({.url = base_.to_string() + std::string(path), .method = "PATCH", .body = json});
  if (!document) return document.error();
  if (document->data.size() != 1) return Refusal{0, "the answer is not one resource"};
  return std::move(document->data.front());
}

ApiResult<void> Api::act(std::string_view path, const std::string& json, bool may_repeat) {
  const auto reply = ask({.url = base_.to_string() + std::string(path),
                          .method = "POST",
                          .body = json,
                          .may_repeat = may_repeat});
  if (!reply) return reply.error();
  return {};
}

ApiResult<void> Api::remove(std::string_view path) {
  const auto reply = ask({.url = base_.to_string() + std::string(path), .method = "DELETE"});
  if (!reply) return reply.error();
  return {};
}

ApiResult<std::string> Api::fetch(std::string_view path, std::uint64_t limit) {
  auto reply = ask(
      {.url = base_.to_string() + std::string(path), .accept = "application/json", .limit = limit});
  if (!reply) return reply.error();
  return std::move(reply->body);
}

ApiResult<base::Url> Api::follow(const std::string& address) const {
  if (address.empty()) return Refusal{0, "the service does not say where"};
  auto url = net::redirect_url(base_, address);
  if (!url) {
    return Refusal{
        0, fmt::format("an address that the service names cannot be used: {}", url.error().what)};
  }
  return std::move(*url);
}

ApiResult<std::string> Api::download(const std::string& address, std::uint64_t limit) {
  const auto url = follow(address);
  if (!url) return url.error();
  auto reply = ask({.url = url->to_string(),
                    .accept = "application/json",
                    .with_token = is_own(*url),
                    .limit = limit});
  if (!reply) return reply.error();
  return std::move(reply->body);
}

ApiResult<void> Api::upload(const std::string& address, std::string bytes) {
  const auto url = follow(address);
  if (!url) return url.error();
  const auto reply = ask({.url = url->to_string(),
                          .method = "PUT",
                          .body = std::move(bytes),
                          .type = "application/octet-stream",
                          .accept = "application/json, */*",
                          .with_token = false});
  if (!reply) return reply.error();
  return {};
}

ApiResult<std::string> Api::read_log(const std::string& address, std::uint64_t offset,
                                     std::uint64_t limit) {
  auto url = follow(address);
  if (!url) return url.error();
  auto arguments = base::parse_url_query(url->query);
  std::erase_if(arguments,
                [](const auto& each) { return each.first == "limit" || each.first == "offset"; });
  arguments.emplace_back("limit", std::to_string(limit));
  arguments.emplace_back("offset", std::to_string(offset));
  url->query = base::format_url_query(std::move(arguments));
  // A service that does not know the limit may send more.
  auto reply = ask({.url = url->to_string(), .accept = "*/*", .with_token = false});
  if (!reply) return reply.error();
  return std::move(reply->body);
}

std::string path_part(std::string_view text) { return base::escape_url(text); }

}  // namespace tofu::cloud
