// The certificate authorities that this system trusts, wherever its distribution keeps them.
//
// A libcurl looks where the distribution that built it keeps them, and the portable program runs on
// all distributions. SSL_CERT_FILE and SSL_CERT_DIR are for the caller to prefer (WebOptions).
#pragma once

#include <string>
#include <string_view>

namespace tofu::net {

struct Authorities {
  std::string file = {};       // one file with all of them; may be empty
  std::string directory = {};  // a file for each, named as OpenSSL looks for them; may be empty
};

// The first list of the known distributions that exists below `root`. Both are empty if none does:
// then libcurl looks where it was built to look.
Authorities system_authorities(std::string_view root = {});

}  // namespace tofu::net
