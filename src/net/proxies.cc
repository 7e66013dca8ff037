#include "net/proxies.h"

#include <arpa/inet.h>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/ascii.h"
#include "base/trim.h"

namespace tofu::net {

namespace {

// An address as IPv6 has it; of IPv4 as ::ffff:a.b.c.d.
struct Address {
  std::array<std::uint8_t, 16> bytes{};
  bool is_ipv4 = false;

  bool operator==(const Address& other) const { return bytes == other.bytes; }
};

std::optional<Address> parse_address(std::string_view text) {
  const std::string host(text.substr(0, text.find('%')));  // without a zone
  Address address;
  if (::inet_pton(AF_INET, host.c_str(), address.bytes.data() + 12) == 1) {
    address.bytes[10] = address.bytes[11] = 0xFF;
    address.is_ipv4 = true;
    return address;
  }
  if (::inet_pton(AF_INET6, host.c_str(), address.bytes.data()) == 1) return address;
  return std::nullopt;
}

bool is_loopback(const Address& address) {
  static constexpr std::array<std::uint8_t, 16> kLoopback = {0, 0, 0, 0, 0, 0, 0, 0,
                                                             0, 0, 0, 0, 0, 0, 0, 1};
  return address.is_ipv4 ? address.bytes[12] == 127 : address.bytes == kLoopback;
}

std::string_view without_brackets(std::string_view host) {
  const bool has_brackets = host.starts_with('[') && host.ends_with(']');
  return has_brackets ? host.substr(1, host.size() - 2) : host;
}

// Nothing if `text` is no network.
std::optional<bool> is_in_network(std::string_view text, const std::optional<Address>& host) {
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  const auto network = parse_address(text.substr(0, slash));
  const std::string_view number = text.substr(slash + 1);
  int bits = -1;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), bits);
  const int most = network && network->is_ipv4 ? 32 : 128;
  const bool is_number = error == std::errc() && end == number.data() + number.size();
  if (!network || !is_number || bits < 0 || bits > most) return std::nullopt;
  if (!host || host->is_ipv4 != network->is_ipv4) return false;
  bits += network->is_ipv4 ? 96 : 0;
  for (std::size_t i = 0; i < 16 && bits > 0; ++i, bits -= 8) {
    const unsigned mask = bits >= 8 ? 0xFFU : 0xFFU << (8 - bits) & 0xFFU;
    if (((host->bytes[i] ^ network->bytes[i]) & mask) != 0) return false;
  }
  return true;
}

struct Target {
  std::string host;  // in lower case, without brackets
  std::string_view port;
  std::optional<Address> address;
};

// As the package httpproxy of Go reads one entry.
bool matches(std::string_view entry, const Target& target) {
  if (const auto inside = is_in_network(entry, target.address)) return *inside;
  std::string_view name = entry;
  std::string_view port;
  const std::size_t colon = entry.rfind(':');
  const bool is_bracketed = entry.starts_with('[');
  const bool has_port = colon != entry.npos && colon > 0 &&
                        (is_bracketed ? entry[colon - 1] == ']' : entry.find(':') == colon);
  if (has_port) {
    name = without_brackets(entry.substr(0, colon));
    port = entry.substr(colon + 1);
  }
  if (name.empty() || (!port.empty() && port != target.port)) return false;
  if (const auto address = parse_address(name)) return target.address == address;
  if (name.starts_with("*.")) name.remove_prefix(1);
  const bool only_below = name.starts_with('.');
  if (only_below) name.remove_prefix(1);
  if (target.host == name) return !only_below;
  return target.host.size() > name.size() && target.host.ends_with(name) &&
         target.host[target.host.size() - name.size() - 1] == '.';
}

}  // namespace

bool is_without_proxy(std::string_view excluded, const base::Url& url) {
  Target target{base::ascii_lower(without_brackets(url.host)), url.port, std::nullopt};
  if (target.port.empty()) target.port = url.scheme == "https" ? "443" : "80";
  target.address = parse_address(target.host);
  if (target.host == "localhost" || (target.address && is_loopback(*target.address))) return true;
  while (!excluded.empty()) {
    const std::size_t comma = excluded.find(',');
    const std::string entry = base::ascii_lower(base::trim_space(excluded.substr(0, comma)));
    if (entry == "*" || (!entry.empty() && matches(entry, target))) return true;
    if (comma == excluded.npos) break;
    excluded.remove_prefix(comma + 1);
  }
  return false;
}

ProxyOptions proxies_of(const EnvironmentVariable& environment) {
  const auto first_of = [&](std::string_view capitals, std::string_view lower) {
    const std::string_view found = environment(capitals);
    return std::string(found.empty() ? environment(lower) : found);
  };
  const bool is_cgi = !environment("REQUEST_METHOD").empty();
  return {.http = is_cgi ? std::string(environment("http_proxy"))
                         : first_of("HTTP_PROXY", "http_proxy"),
          .https = first_of("HTTPS_PROXY", "https_proxy"),
          .excluded = first_of("NO_PROXY", "no_proxy")};
}

ProxyOptions with_usual(ProxyOptions own, const ProxyOptions& usual) {
  if (own.http.empty()) own.http = usual.http;
  if (own.https.empty()) own.https = usual.https;
  if (own.excluded.empty()) own.excluded = usual.excluded;
  return own;
}

}  // namespace tofu::net
