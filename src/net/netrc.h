// The user's netrc file: logins by host.
//
// libcurl reads such files too, but it would send the `default` login to every host that a server
// redirects to. Here each caller decides about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/url.h"
#include "net/secret.h"

namespace tofu::net {

struct NetrcLogin {
  std::string user;
  Secret password;
};

// Whether the login for all other hosts is an answer, too.
enum class NetrcDefault : std::uint8_t { Ignored, Used };

// The login for a request to `url`, by its host without port, in the text of the file. It
// belongs to the origin of the URL.
std::optional<NetrcLogin> find_netrc_login(std::string_view text, const base::Url& url,
                                           NetrcDefault others);

}  // namespace tofu::net
