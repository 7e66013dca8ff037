// JSON Web Tokens: claims signed with a private key, which prove the identity of a client that
// requests an access token. Private to google_credentials.cc and azure_credentials.cc.
//
// Only RS256. Times are those of this machine's clock.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "net/secret.h"

namespace tofu::identity {

// Base64 for URLs, without padding.
std::string base64_url(std::string_view bytes);

using JsonTexts = std::vector<std::pair<std::string_view, std::string>>;

// The token, for `origin`, which it proves something to. `header` is added to alg and typ;
// iat and exp (an hour) are added to `claims`.
base::Result<net::Secret> signed_token(const JsonTexts& header, const JsonTexts& claims,
                                       std::string_view private_key, const net::Origin& origin);

}  // namespace tofu::identity
