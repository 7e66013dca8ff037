// The cryptography of this component, by OpenSSL: keys from passphrases, AES-GCM, random bytes.
//
// Encrypted text is a nonce of 12 bytes, the ciphertext and a tag of 16 bytes, in this
// order. A text that was changed, or a wrong key, is an error and gives nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "encryption/key.h"

namespace tofu::encryption {

enum class KeyHash : std::uint8_t { Sha256, Sha512 };

struct Derivation {
  std::string salt;
  std::uint32_t iterations = 0;
  std::uint32_t key_length = 0;
  KeyHash hash = KeyHash::Sha512;
};

// PBKDF2 with HMAC.
base::Result<Key> derive_key(const Key& passphrase, const Derivation& how);

base::Result<std::string> random_bytes(std::size_t length);
base::Result<Key> random_key(std::size_t length);

// Whether AES has keys of this length.
bool is_aes_key_length(std::size_t length);

// `aad` is authenticated, but not part of the text.
base::Result<std::string> encrypt_aes_gcm(const Key& key, std::string_view text,
                                          std::string_view aad);
base::Result<std::string> decrypt_aes_gcm(const Key& key, std::string_view encrypted,
                                          std::string_view aad);

}  // namespace tofu::encryption
