// Addresses of the web, taken apart and put together by libcurl.
//
// Only http and https, at most kLongestUrl bytes. Addresses come from registries and
// redirections, which are not trusted: control characters, other schemes, endless
// paths are refused. Errors never show the address, which may have secrets in it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::transport {

inline constexpr std::size_t kLongestUrl = 32 * 1024;
inline constexpr std::size_t kMostPathParts = 256;

struct WebUrl {
  std::string scheme;      // http or https
  std::string host;        // lower case; [::1] with its brackets
  std::string port;        // always there: 443 if not written
  std::string path;        // as written, with its escapes; begins with a slash
  std::string query;       // as written, without the question mark
  std::string text;        // all of it, normalised, with user and password but no fragment
  bool has_login = false;  // a user name or a password is part of it

  // "example.com", with the port if it is not the usual one.
  std::string authority() const;
  bool same_origin(const WebUrl& other) const {
    return scheme == other.scheme && host == other.host && port == other.port;
  }
};

base::Result<WebUrl> parse_url(std::string_view text);

// What `reference` means when it is found at `base`: relative or absolute.
base::Result<WebUrl> resolve_url(const WebUrl& base, std::string_view reference);

// With everything escaped that is more than a letter, a digit or one of "-._~"; for
// the values of a query. Characters of `kept` stay as they are, too.
std::string escape_for_url(std::string_view text, std::string_view kept = {});

// Where a redirection leads: an error if it would leave https.
base::Result<WebUrl> redirect_url(const WebUrl& from, std::string_view location);

}  // namespace tofu::transport
