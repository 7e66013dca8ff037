#include "fetch/oci_session.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cstring>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "base/ascii.h"
#include "value/json.h"

namespace tofu::fetch {

namespace {

using value::Kind;
using value::Value;

constexpr std::uint64_t kMaxTokenSize = 128 * 1024;

void skip(std::string_view& text, std::string_view characters) {
  text.remove_prefix(std::min(text.find_first_not_of(characters), text.size()));
}

// A word, or text in quotes with its escapes undone.
std::string take_value(std::string_view& text) {
  std::string value;
  if (!text.starts_with('"')) {
    value = text.substr(0, text.find_first_of(", \t"));
    text.remove_prefix(value.size());
    return value;
  }
  std::size_t at = 1;
  for (; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    value += text[at];
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return value;
}

// Addresses of this machine and its own network.
bool is_inner_address(std::string_view host) {
  std::string text(host);
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  std::uint8_t bytes[16];
  if (::inet_pton(AF_INET, text.c_str(), bytes) == 1) {
    return bytes[0] == 127 || bytes[0] == 10 || bytes[0] == 0 ||
           (bytes[0] == 192 && bytes[1] == 168) || (bytes[0] == 169 && bytes[1] == 254) ||
           (bytes[0] == 172 && bytes[1] >= 16 && bytes[1] < 32);
  }
  if (::inet_pton(AF_INET6, text.c_str(), bytes) != 1) return false;
  constexpr std::uint8_t kNone[15] = {};
  const bool small = std::memcmp(bytes, kNone, sizeof kNone) == 0 && bytes[15] <= 1;
  constexpr std::uint8_t kMapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};
  return small || std::memcmp(bytes, kMapped, sizeof kMapped) == 0 || (bytes[0] & 0xFE) == 0xFC ||
         (bytes[0] == 0xFE && (bytes[1] & 0xC0) == 0x80);
}

net::Secret basic(const net::OciLogin& login, const net::Origin& origin) {
  return net::basic_login(login.username, login.password.rescoped_to(origin));
}

// {"access_token":"…"}, or "token" as older servers have it.
std::optional<std::string> token_in(std::string_view body) {
  const auto document = value::parse_json(body);
  if (!document || document->kind() != Kind::Object) return std::nullopt;
  for (const char* name : {"access_token", "token"}) {
    const Value* token = document->plain().find(name);
    if (token != nullptr && token->kind() == Kind::String && !token->plain().as_string().empty()) {
      return std::string(token->plain().as_string());
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<OciChallenge> parse_challenge(std::string_view header) {
  constexpr std::string_view kBlanks = " \t";
  skip(header, kBlanks);
  const std::size_t end = std::min(header.find_first_of(kBlanks), header.size());
  const std::string method = base::ascii_lower(header.substr(0, end));
  if (method != "bearer" && method != "basic") return std::nullopt;
  OciChallenge challenge{.bearer = method == "bearer"};
  header.remove_prefix(end);
  while (true) {
    skip(header, " \t,");
    const std::size_t equal = header.find('=');
    if (equal == std::string_view::npos) return challenge;
    const std::string name = base::ascii_lower(header.substr(0, equal));
    header.remove_prefix(equal + 1);
    std::string value = take_value(header);
    if (name == "realm")
      challenge.realm = std::move(value);
    else if (name == "service")
      challenge.service = std::move(value);
    else if (name == "scope")
      challenge.scope = std::move(value);
  }
}

base::Result<net::WebReply> OciSession::send(const net::WebRequest& request,
                                             const std::string* file) {
  return file == nullptr ? fetching_.web.ask(request) : fetching_.web.download(request, *file);
}

base::Result<net::WebReply> OciSession::get(std::string_view what,
                                            std::vector<net::WebHeader> headers,
                                            std::uint64_t limit, const std::string* file) {
  // docker.io is served by another host.
  const std::string host =
      repository_.registry == "docker.io" ? "registry-1.docker.io" : repository_.registry;
  auto url = net::parse_web_url(
      fmt::format("{}://{}/v2/{}/{}", repository_.scheme, host, repository_.name, what));
  if (!url) return std::move(url).error();
  net::WebRequest request{.url = url->to_string(),
                          .headers = std::move(headers),
                          .private_headers = authorization_,
                          .limit = limit};
  auto reply = send(request, file);
  if (!reply || reply->status != 401 || !authorization_.empty()) return reply;
  // Only the registry itself may ask for its login, not where it redirects to.
  const auto from = net::parse_web_url(reply->url);
  if (!from || net::Origin(*from) != net::Origin(*url)) return reply;
  const auto answered = answer(*reply, *url);
  if (!answered) return answered.error();
  if (!*answered) return reply;
  request.private_headers = authorization_;
  return send(request, file);
}

base::Result<bool> OciSession::answer(const net::WebReply& reply, const base::Url& asked) {
  std::optional<OciChallenge> challenge;
  for (const net::WebHeader& header : reply.headers) {
    if (!challenge && base::ascii_lower(header.name) == "www-authenticate") {
      challenge = parse_challenge(header.value);
    }
  }
  if (!challenge) return false;
  auto known = fetching_.credentials.oci(repository_.registry, repository_.name);
  if (!known) return std::move(known).error();
  const net::OciLogin login = known->value_or(net::OciLogin());
  if (!challenge->bearer) {
    if (login.username.empty() || login.password.is_empty()) return false;
    authorization_ = {{"Authorization", basic(login, net::Origin(asked))}};
    return true;
  }
  auto token = login.access_token.is_empty()
                   ? ask_for_token(*challenge, login, asked)
                   : base::Result<net::Secret>(login.access_token.rescoped_to(net::Origin(asked)));
  if (!token) return std::move(token).error();
  authorization_ = {{"Authorization", net::bearer_token(*token)}};
  return true;
}

base::Result<net::Secret> OciSession::ask_for_token(const OciChallenge& challenge,
                                                    const net::OciLogin& login,
                                                    const base::Url& asked) const {
  const auto failed = [&](std::string_view why) {
    return base::Error{fmt::format("getting a token for {} failed: {}", asked.authority(), why)};
  };
  const auto realm = net::parse_web_url(challenge.realm);
  if (!realm) return failed(realm.error().what);
  if (asked.scheme == "https" && realm->scheme != "https") {
    return failed("it requires a request without https");
  }
  if (realm->host != asked.host && is_inner_address(realm->host)) {
    return failed("the registry names an address of this machine or its network");
  }
  const std::string scope = challenge.scope.empty()
                                ? fmt::format("repository:{}:pull", repository_.name)
                                : challenge.scope;
  net::WebRequest request{.url = realm->to_string(), .limit = kMaxTokenSize};
  // The registry decides who knows its logins.
  const net::Origin server(*realm);
  if (!login.refresh_token.is_empty()) {
    request.method = "POST";
    request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
    request.body = login.refresh_token.rescoped_to(server).derived([&](std::string_view token) {
      return fmt::format(
          "grant_type=refresh_token&refresh_token={}&service={}&client_id=tofu&scope={}",
          base::escape_url(token), base::escape_url(challenge.service), base::escape_url(scope));
    });
  } else {
    request.url +=
        fmt::format("{}scope={}", realm->query.empty() ? "?" : "&", base::escape_url(scope));
    if (!challenge.service.empty()) {
      request.url += fmt::format("&service={}", base::escape_url(challenge.service));
    }
    if (!login.username.empty() || !login.password.is_empty()) {
      request.private_headers = {{"Authorization", basic(login, server)}};
    }
  }
  const auto reply = fetching_.web.ask(request);
  if (!reply) return failed(reply.error().what);
  if (reply->status != 200) {
    return failed(fmt::format("{} responded with status {}", realm->authority(), reply->status));
  }
  auto token = token_in(reply->body);
  if (!token) return failed(fmt::format("{} sends none", realm->authority()));
  return net::Secret(std::move(*token), net::Origin(asked));
}

}  // namespace tofu::fetch
