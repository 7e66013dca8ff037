// Addresses that HTTP requests go to, and the origins that secrets belong to.
//
// Only http and https, at most kMaxUrlLength bytes. Addresses come from registries and
// redirections, which are not trusted: control characters, other schemes, endless paths
// and hosts that another reader of URLs could take for something else are refused, so
// that libcurl connects to the host that we checked. Errors never show the address,
// which may have secrets in it.
#pragma once

#include <string>
#include <string_view>

#include "base/hostname.h"
#include "base/result.h"
#include "base/url.h"

namespace tofu::net {

inline constexpr std::size_t kMaxUrlLength = 32 * 1024;
inline constexpr std::size_t kMaxPathParts = 256;

// Normalized: the host in lower case and ASCII, no default port, a path that begins with
// a slash and has no dot segments, no fragment.
base::Result<base::Url> parse_web_url(std::string_view text);

// Resolves `reference` relative to `at`: relative or absolute.
base::Result<base::Url> resolve_web_url(const base::Url& at, std::string_view reference);

// The target of a redirection: an error if it would leave https.
base::Result<base::Url> redirect_url(const base::Url& from, std::string_view location);

// Scheme, host and port: what a secret is sent to.
class Origin {
 public:
  Origin() = default;  // that of nothing
  // Of a URL that parse_web_url() gave.
  explicit Origin(const base::Url& url) : text_(url.scheme + "://" + url.authority()) {}
  // The address for service discovery of a host.
  explicit Origin(const base::Hostname& host) : text_("https://" + host.ascii) {}

  // "https://example.com:8443"
  const std::string& to_string() const { return text_; }
  bool operator==(const Origin&) const = default;

 private:
  std::string text_;
};

}  // namespace tofu::net
