// How a host gives out tokens: the service login.v1, which is an OAuth client, or the
// token pages of tfe.v2.
//
// Part of the document of service discovery, which is not trusted: addresses and ports
// are checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/url.h"

namespace tofu::install {

struct LoginService {
  std::string client;               // client_id
  base::Url authorization;          // where a person says yes
  base::Url token;                  // where the code becomes a token
  std::uint16_t first_port = 1024;  // of this machine, that the host redirects to
  std::uint16_t last_port = 65535;
  std::vector<std::string> scopes = {};
  bool by_code = false;  // the grant type authz_code is offered
};

// `description` is JSON; `at` is where the document was found.
base::Result<LoginService> read_login_service(std::string_view description, const base::Url& at);

}  // namespace tofu::install
