// The key provider `pbkdf2`: a key derived from a passphrase, or from the key of another
// provider.
//
// Reading takes everything from the metadata, so the settings can be changed at any time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "encryption/ciphers.h"
#include "encryption/key_provider.h"

namespace tofu::encryption {

struct Pbkdf2Settings {
  // One of the two.
  Key passphrase = {};
  std::shared_ptr<const KeyProvider> chain = {};

  std::uint32_t key_length = 32;
  std::uint32_t iterations = 600'000;
  std::uint32_t salt_length = 32;
  KeyHash hash = KeyHash::Sha512;
};

inline constexpr std::size_t kMinPassphraseLength = 16;
inline constexpr std::uint32_t kMinIterations = 200'000;
// More would keep a machine busy for minutes, and the number may come from an untrusted file.
inline constexpr std::uint32_t kMaxIterations = 100'000'000;
inline constexpr std::uint32_t kMaxKeyLength = 1 << 20;

std::shared_ptr<const KeyProvider> pbkdf2_provider(std::string storage_name,
                                                   Pbkdf2Settings settings);

// "sha256"; nothing for any other than the two.
std::optional<KeyHash> key_hash_of_name(std::string_view name);

}  // namespace tofu::encryption
