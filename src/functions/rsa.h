// RSA private keys as people keep them, and decrypting with one.
//
// Keys come in PEM: PKCS #1, PKCS #8, or OpenSSH's own form, which OpenSSL does not read. Encrypted
// keys are refused, since functions cannot prompt for a passphrase.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

typedef struct evp_pkey_st EVP_PKEY;  // OpenSSL's; its headers stay out of ours

namespace tofu::functions {

struct FreeKey {
  void operator()(EVP_PKEY* key) const;
};
using PrivateKey = std::unique_ptr<EVP_PKEY, FreeKey>;

base::Result<PrivateKey> parse_rsa_key(std::string_view pem);

// PKCS #1 v1.5. The result is bytes, not necessarily text.
base::Result<std::string> rsa_decrypt(const PrivateKey& key, std::string_view ciphertext);

}  // namespace tofu::functions
