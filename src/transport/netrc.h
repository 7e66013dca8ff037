// The user's netrc file: logins by host.
//
// libcurl reads such files too, but it would send the `default` login to every host
// that a server redirects to. Here that is a matter of who asks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tofu::transport {

struct NetrcLogin {
  std::string user;
  std::string password;
};

// Whether the login for all other hosts is an answer, too.
enum class NetrcDefault : std::uint8_t { Ignored, Used };

// The login of a host, without port, in the text of the file.
std::optional<NetrcLogin> find_netrc_login(std::string_view text, std::string_view host,
                                           NetrcDefault others);

}  // namespace tofu::transport
