// Signatures and certificates of tokens that identify a client, by OpenSSL.
//
// Private keys come from files and variables of the user; one that cannot be used is an error that
// does not repeat it.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace tofu::identity {

// The signature RS256 of JSON Web Tokens, by a private RSA key in PEM.
base::Result<std::string> sign_rs256(std::string_view private_key, std::string_view text);
// The certificate and the private key of a PKCS #12 file, as PEM.
base::Result<std::string> pkcs12_to_pem(std::string_view bytes, const std::string& password);
// The hash of the first certificate of a file in PEM: x5t of JSON Web Tokens, in bytes.
base::Result<std::string> certificate_sha1(std::string_view pem);

}  // namespace tofu::identity
