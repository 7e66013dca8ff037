#include "fetch/source_query.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/url.h"

namespace tofu::fetch {

namespace {

std::size_t method_length(std::string_view package) {
  const std::size_t colons = package.find("::");
  if (colons == std::string_view::npos || colons == 0) return 0;
  const bool plain = std::ranges::all_of(package.substr(0, colons), base::is_ascii_alphanumeric);
  return plain ? colons + 2 : 0;
}

// Names of arguments whose values are secrets.
bool is_secret(std::string_view name) {
  const std::string lower = base::ascii_lower(name);
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

bool is_web(const base::Url& url) { return url.scheme == "http" || url.scheme == "https"; }

}  // namespace

std::string take_argument(base::Url& url, std::string_view name) {
  base::UrlArguments arguments = base::parse_url_query(url.query);
  const auto named = [&](const auto& argument) { return argument.first == name; };
  const auto found = std::ranges::find_if(arguments, named);
  if (found == arguments.end()) return {};
  std::string value = std::move(found->second);
  std::erase_if(arguments, named);
  url.query = base::format_url_query(std::move(arguments));
  return value;
}

base::Result<base::Url> parse_package_url(std::string_view package) {
  auto url = base::parse_url(package.substr(method_length(package)));
  if (!url) return base::Error{"the address of the package is not a URL"};
  url->query = base::format_url_query(base::parse_url_query(url->query));
  url->fragment.clear();
  return std::move(*url);
}

std::vector<std::string> secrets_of(const base::Url& url) {
  std::vector<std::string> secrets;
  const std::size_t colon = url.userinfo.find(':');
  if (colon != std::string::npos) {
    secrets.insert(secrets.end(), {url.userinfo, url.userinfo.substr(colon + 1), url.password()});
  } else if (!url.userinfo.empty() && is_web(url)) {
    secrets.push_back(url.userinfo + "@");
  }
  for (const auto& [name, value] : base::parse_url_query(url.query)) {
    if (!is_secret(name)) continue;
    secrets.push_back(base::format_url_query({{"", value}}).substr(1));
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
  base::UrlArguments arguments = base::parse_url_query(url->query);
  const std::size_t secrets =
      std::erase_if(arguments, [](const auto& argument) { return is_secret(argument.first); });
  if (userinfo == url->userinfo && secrets == 0) return package;
  url->userinfo = std::move(userinfo);
  url->query = base::format_url_query(std::move(arguments));
  return package.substr(0, method_length(package)) + url->to_string();
}

std::string argument_of(std::string_view package, std::string_view name) {
  auto url = parse_package_url(package);
  return url ? take_argument(*url, name) : std::string();
}

std::string without_arguments(std::string_view package,
                              std::initializer_list<std::string_view> names) {
  auto url = parse_package_url(package);
  if (!url) return std::string(package);
  base::UrlArguments arguments = base::parse_url_query(url->query);
  std::erase_if(arguments, [&](const auto& argument) {
    return std::ranges::find(names, argument.first) != names.end();
  });
  url->query = base::format_url_query(std::move(arguments));
  return std::string(package.substr(0, method_length(package))) + url->to_string();
}

std::string fetch_method(std::string_view package) {
  const std::size_t length = method_length(package);
  if (length != 0) return std::string(package.substr(0, length - 2));
  const auto url = base::parse_url(package);
  return url ? url->scheme : std::string();
}

}  // namespace tofu::fetch
