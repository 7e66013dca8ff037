#include "base/hostname.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <utility>

#include "base/idna.h"

namespace tofu::base {

namespace {

constexpr int kDefaultPort = 443;
constexpr int kMaxPort = 65535;

struct NameAndPort {
  std::string_view name;
  std::string_view port;  // with its colon
};

NameAndPort split(std::string_view text) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  return {text.substr(0, colon), text.substr(colon)};
}

// ":8080" as it is kept; empty for the default port.
Result<std::string> normalized_port(std::string_view port) {
  if (port.empty()) return std::string();
  const std::string_view digits = port.substr(1);
  int number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size() || number < 0) {
    return Error{"a port must be a number"};
  }
  if (number > kMaxPort) return Error{"a port cannot be larger than 65535"};
  return number == kDefaultPort ? std::string() : fmt::format(":{}", number);
}

}  // namespace

std::string Hostname::for_display() const {
  // Every provider's address is printed with its host, so the usual case is quick: without
  // an encoded label, what is kept is what is shown.
  if (ascii.find("xn--") == std::string::npos) return ascii;
  const auto [name, port] = split(ascii);
  std::string out;
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const auto label = idna_label_to_unicode(rest.substr(0, dot));
    out += label ? *label : std::string(rest.substr(0, dot));
    if (dot < rest.size()) out += '.';
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return out.append(port);
}

Result<Hostname> parse_hostname(std::string_view text) {
  const auto [name, port] = split(text);
  const auto kept_port = normalized_port(port);
  if (!kept_port) {
    if (name == "http" || name == "https") {
      return Error{"only a host name and an optional port are allowed, not a whole URL"};
    }
    return kept_port.error();
  }
  if (name.empty()) return Error{"a host name is required"};
  std::string ascii;
  // A dot at the very end is allowed, as everywhere in the domain name system.
  for (std::string_view rest = name; !rest.empty();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const std::string_view label = rest.substr(0, dot);
    if (label.empty()) return Error{"a host name cannot have two dots in a row"};
    if (label.starts_with("xn--")) {
      return Error{fmt::format("\"{}\" is in Punycode; write the name in its own letters", label)};
    }
    auto normal = idna_label_to_ascii(label);
    if (!normal) return std::move(normal).error();
    ascii += *normal;
    if (dot < rest.size()) ascii += '.';
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return Hostname{ascii + *kept_port};
}

}  // namespace tofu::base
