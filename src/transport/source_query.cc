#include "transport/source_query.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/url.h"

namespace tofu::transport {

namespace {

constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::string unescaped(std::string_view text, bool plus_is_space) {
  auto plain = base::unescape_url(text, plus_is_space);
  return plain ? std::move(*plain) : std::string(text);
}

std::string escaped_argument(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (is_letter_or_digit(c) || std::string_view("-_.~").find(c) != std::string_view::npos) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

// Escapes only what no URL can hold, since the rest may be escaped on purpose.
std::string escaped_path(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool holds =
        byte > 0x20 && byte < 0x7F && std::string_view("\"<>\\^`{|}").find(c) == std::string::npos;
    out += holds ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

std::size_t method_length(std::string_view package) {
  const std::size_t colons = package.find("::");
  if (colons == std::string_view::npos || colons == 0) return 0;
  const bool plain = std::ranges::all_of(package.substr(0, colons), is_letter_or_digit);
  return plain ? colons + 2 : 0;
}

void read_arguments(std::string_view query,
                    std::vector<std::pair<std::string, std::string>>& arguments) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view argument = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (argument.empty()) continue;
    const std::size_t equal = std::min(argument.find('='), argument.size());
    arguments.emplace_back(unescaped(argument.substr(0, equal), true),
                           unescaped(argument.substr(std::min(equal + 1, argument.size())), true));
  }
}

// Names of arguments whose values open doors.
bool is_secret(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  constexpr std::string_view kWhole[] = {"sshkey",
                                         "sig",
                                         "key",
                                         "apikey",
                                         "api_key",
                                         "auth",
                                         "passwd",
                                         "x-amz-credential",
                                         "x-goog-credential",
                                         "aws_access_key_id"};
  if (std::ranges::find(kWhole, lower) != std::end(kWhole)) return true;
  constexpr std::string_view kParts[] = {"token", "secret", "password", "signature"};
  return std::ranges::any_of(
      kParts, [&](std::string_view part) { return lower.find(part) != std::string::npos; });
}

bool is_web(const PackageUrl& url) { return url.scheme == "http" || url.scheme == "https"; }

}  // namespace

std::string PackageUrl::take(std::string_view name) {
  const auto named = [&](const auto& argument) { return argument.first == name; };
  const auto found = std::ranges::find_if(arguments, named);
  if (found == arguments.end()) return {};
  std::string value = std::move(found->second);
  std::erase_if(arguments, named);
  return value;
}

std::string PackageUrl::user() const {
  return unescaped(std::string_view(userinfo).substr(0, userinfo.find(':')), false);
}

std::string PackageUrl::password() const {
  const std::size_t colon = userinfo.find(':');
  if (colon == std::string::npos) return {};
  return unescaped(std::string_view(userinfo).substr(colon + 1), false);
}

std::string PackageUrl::plain_path() const { return unescaped(path, false); }

std::string PackageUrl::text() const {
  std::string out = scheme + ":";
  if (has_authority) out += "//";
  if (!userinfo.empty()) out += userinfo + "@";
  out += host + escaped_path(path);
  auto sorted = arguments;
  std::ranges::stable_sort(sorted, {}, &std::pair<std::string, std::string>::first);
  char before = '?';
  for (const auto& [name, value] : sorted) {
    out += before + escaped_argument(name) + "=" + escaped_argument(value);
    before = '&';
  }
  return out;
}

base::Result<PackageUrl> parse_package_url(std::string_view package) {
  std::string_view rest = package.substr(method_length(package));
  PackageUrl url;
  url.scheme = base::url_scheme(rest);
  if (url.scheme.empty()) return base::Error{"the address of the package is no URL"};
  rest.remove_prefix(url.scheme.size() + 1);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t mark = std::min(rest.find('?'), rest.size());
  read_arguments(rest.substr(std::min(mark + 1, rest.size())), url.arguments);
  rest = rest.substr(0, mark);
  url.has_authority = rest.starts_with("//");
  if (url.has_authority) {
    rest.remove_prefix(2);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    std::string_view authority = rest.substr(0, slash);
    rest.remove_prefix(slash);
    const std::size_t at = authority.rfind('@');
    if (at != std::string_view::npos) {
      url.userinfo = authority.substr(0, at);
      authority.remove_prefix(at + 1);
    }
    url.host = authority;
  }
  url.path = rest;
  return url;
}

std::vector<std::string> secrets_of(const PackageUrl& url) {
  std::vector<std::string> secrets;
  const std::size_t colon = url.userinfo.find(':');
  if (colon != std::string::npos) {
    secrets.insert(secrets.end(), {url.userinfo, url.userinfo.substr(colon + 1), url.password()});
  } else if (!url.userinfo.empty() && is_web(url)) {
    secrets.push_back(url.userinfo + "@");
  }
  for (const auto& [name, value] : url.arguments) {
    if (!is_secret(name)) continue;
    secrets.push_back(escaped_argument(value));
    secrets.push_back(value);
  }
  std::erase(secrets, "");
  return secrets;
}

std::string without_secrets(const std::string& package) {
  auto url = parse_package_url(package);
  if (!url) return package;
  // Of a web address the user may be the secret; of ssh it is who git always is.
  std::string userinfo = is_web(*url) ? "" : url->userinfo.substr(0, url->userinfo.find(':'));
  const std::size_t secrets =
      std::erase_if(url->arguments, [](const auto& argument) { return is_secret(argument.first); });
  if (userinfo == url->userinfo && secrets == 0) return package;
  url->userinfo = std::move(userinfo);
  return package.substr(0, method_length(package)) + url->text();
}

std::string fetch_method(std::string_view package) {
  const std::size_t length = method_length(package);
  if (length != 0) return std::string(package.substr(0, length - 2));
  return base::url_scheme(package);
}

}  // namespace tofu::transport
