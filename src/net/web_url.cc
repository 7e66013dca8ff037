#include "net/web_url.h"

#include <algorithm>
#include <arpa/inet.h>
#include <charconv>
#include <fmt/format.h>

#include "base/idna.h"
#include "base/unicode.h"

namespace tofu::net {

namespace {

bool is_ipv6_literal(std::string_view host) {
  if (!host.starts_with('[') || !host.ends_with(']')) return false;
  const std::string inner(host.substr(1, host.size() - 2));
  in6_addr address;
  return ::inet_pton(AF_INET6, inner.c_str(), &address) == 1;
}

// A name as the domain name system has it, or an address. Percent-encoding, blanks and
// signs are refused: readers of URLs disagree about them.
base::Result<std::string> normalized_host(std::string_view host) {
  const base::Error wrong{"the address has no valid host name"};
  if (host.starts_with('[')) {
    if (!is_ipv6_literal(host)) return wrong;
    std::string out(host);
    std::ranges::transform(out, out.begin(), [](char c) {
      return static_cast<char>(base::to_lower(static_cast<char32_t>(c)));
    });
    return out;
  }
  std::string out;
  for (std::string_view rest = host; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view label = rest.substr(0, dot);
    // Underscores stand in names of services inside a network, though not in IDNA.
    std::string plain;
    if (base::is_ascii(label)) {
      for (const char c : label) {
        plain += static_cast<char>(base::to_lower(static_cast<char32_t>(c)));
      }
      constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-_";
      if (plain.find_first_not_of(kAllowed) != std::string::npos) return wrong;
    } else {
      auto ascii = base::idna_label_to_ascii(label);
      if (!ascii) return wrong;
      plain = std::move(*ascii);
    }
    if (plain.empty()) return wrong;
    out += plain;
    if (dot < rest.size()) out += '.';
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  if (out.empty()) return base::Error{"the address has no host"};
  return out;
}

base::Result<std::string> normalized_port(const base::Url& url) {
  if (url.port.empty()) return std::string();
  unsigned number = 0;
  const char* end = url.port.data() + url.port.size();
  const auto [stop, error] = std::from_chars(url.port.data(), end, number);
  if (error != std::errc() || stop != end || number == 0 || number > 65535) {
    return base::Error{"the port of the address is not a number between 1 and 65535"};
  }
  const unsigned usual = url.scheme == "https" ? 443 : 80;
  return number == usual ? std::string() : std::to_string(number);
}

base::Result<base::Url> normalized(std::optional<base::Url> found) {
  if (!found) return base::Error{"the address is not a URL"};
  base::Url url = std::move(*found);
  if (url.scheme != "http" && url.scheme != "https") {
    return base::Error{fmt::format("only http and https addresses can be fetched, not {:?}",
                                   url.scheme.substr(0, 20))};
  }
  if (!url.has_authority) return base::Error{"the address has no host"};
  if (url.userinfo.find('@') != std::string::npos) {
    return base::Error{"the address has an @ in its user name or password that is not escaped"};
  }
  auto host = normalized_host(url.host);
  if (!host) return std::move(host).error();
  auto port = normalized_port(url);
  if (!port) return std::move(port).error();
  url.host = std::move(*host);
  url.port = std::move(*port);
  url.path = base::remove_dot_segments(url.path.empty() ? "/" : url.path);
  url.fragment.clear();
  if (url.to_string().size() > kMaxUrlLength) return base::Error{"the address is too long"};
  return url;
}

// Checked first, so that the work is bounded.
base::Result<void> check(std::string_view text) {
  if (text.size() > kMaxUrlLength) return base::Error{"the address is too long"};
  if (static_cast<std::size_t>(std::ranges::count(text.substr(0, text.find('?')), '/')) >
      kMaxPathParts) {
    return base::Error{"the path of the address has too many parts"};
  }
  if (std::ranges::any_of(text,
                          [](unsigned char c) { return c <= 0x20 || c == 0x7F || c == '\\'; })) {
    return base::Error{"the address has a blank, a backslash or a control character in it"};
  }
  return {};
}

}  // namespace

base::Result<base::Url> parse_web_url(std::string_view text) {
  if (const auto right = check(text); !right) return right.error();
  return normalized(base::parse_url(text));
}

base::Result<base::Url> resolve_web_url(const base::Url& at, std::string_view reference) {
  if (const auto right = check(reference); !right) return right.error();
  return normalized(base::resolve_url(at, reference));
}

base::Result<base::Url> redirect_url(const base::Url& from, std::string_view location) {
  auto to = resolve_web_url(from, location);
  if (!to) {
    return base::Error{fmt::format("{} redirects to an address that cannot be used: {}",
                                   from.authority(), to.error().what)};
  }
  if (from.scheme == "https" && to->scheme != "https") {
    return base::Error{fmt::format(
        "{} redirects from https to http ({}), where others can read and change the data",
        from.authority(), to->authority())};
  }
  return to;
}

}  // namespace tofu::net
