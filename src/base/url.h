// URLs, read once and in one way for the whole program.
//
// Parts are kept as they are written, percent-encoding included, so that a URL can be put together
// again without changing its meaning; sources of modules are compared and recorded as text. The
// accepted syntax is that of Go's net/url, which OpenTofu uses. HTTP requests use `net/web_url.h`,
// which accepts much less.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tofu::base {

struct Url {
  std::string scheme = {};    // in lower case
  bool has_authority = true;  // "//" stands after the scheme
  std::string userinfo = {};  // before the last @ of the authority
  std::string host = {};      // [::1] with its brackets
  std::string port = {};      // empty if none is written
  std::string path = {};      // of "mailto:x" all after the colon
  std::string query = {};     // without the question mark
  std::string fragment = {};  // without the number sign
  bool operator==(const Url&) const = default;

  // The host, and the port if there is one.
  std::string authority() const;
  // The part before the host, decoded.
  std::string user() const;
  std::string password() const;
  // The path, decoded; as written if an escape is malformed.
  std::string decoded_path() const;
  std::string to_string() const;
};

// Nothing if the text is not an absolute URL.
std::optional<Url> parse_url(std::string_view text);

// Resolves `reference` relative to `at`: RFC 3986, section 5.2.
std::optional<Url> resolve_url(const Url& at, std::string_view reference);

// The path without "." and ".." segments: RFC 3986, section 5.2.4.
std::string remove_dot_segments(std::string_view path);

// The arguments of a query, decoded, in their order.
using UrlArguments = std::vector<std::pair<std::string, std::string>>;
UrlArguments parse_url_query(std::string_view query);
// The query for them, sorted by name.
std::string format_url_query(UrlArguments arguments);

// Percent-encodes everything but letters, digits, "-._~" and the characters of `kept`.
std::string escape_url(std::string_view text, std::string_view kept = {});
// Percent-encodes a path that is not encoded yet, as Go does.
std::string escape_url_path(std::string_view path);
// Decodes percent-encoding; nothing if an escape is malformed.
std::optional<std::string> unescape_url(std::string_view text, bool plus_is_space);

}  // namespace tofu::base
