#include "encryption/ciphers.h"

#include <algorithm>
#include <memory>
#include <openssl/evp.h>
#include <openssl/rand.h>

namespace tofu::encryption {

namespace {

constexpr std::size_t kNonce = 12;
constexpr std::size_t kTag = 16;
// OpenSSL counts with int.
constexpr std::size_t kMaxPartSize = std::size_t{1} << 30;

struct FreeContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using Context = std::unique_ptr<EVP_CIPHER_CTX, FreeContext>;

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

unsigned char* bytes_of(std::string& text, std::size_t at) {
  return reinterpret_cast<unsigned char*>(text.data()) + at;
}

const EVP_CIPHER* cipher_for(std::size_t key_length) {
  switch (key_length) {
    case 16: return EVP_aes_128_gcm();
    case 24: return EVP_aes_192_gcm();
    default: return EVP_aes_256_gcm();
  }
}

// Null if OpenSSL refuses. The nonce is of the length that GCM has by default.
Context begin(const Key& key, std::string_view nonce, std::string_view aad, bool encrypts) {
  Context context(EVP_CIPHER_CTX_new());
  if (context == nullptr ||
      EVP_CipherInit_ex(context.get(), cipher_for(key.size()), nullptr, bytes_of(key.bytes()),
                        bytes_of(nonce), encrypts ? 1 : 0) != 1) {
    return nullptr;
  }
  int length = 0;
  if (!aad.empty() && EVP_CipherUpdate(context.get(), nullptr, &length, bytes_of(aad),
                                       static_cast<int>(aad.size())) != 1) {
    return nullptr;
  }
  return context;
}

// Writes the result for `text` to `out` from `at` on; `out` is large enough.
bool update(EVP_CIPHER_CTX* context, std::string_view text, std::string& out, std::size_t at) {
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kMaxPartSize);
    int length = 0;
    if (EVP_CipherUpdate(context, bytes_of(out, at), &length, bytes_of(part),
                         static_cast<int>(part.size())) != 1) {
      return false;
    }
    at += static_cast<std::size_t>(length);
    text.remove_prefix(part.size());
  }
  return true;
}

}  // namespace

base::Result<Key> derive_key(const Key& passphrase, const Derivation& how) {
  Key key = Key::zeros(how.key_length);
  const EVP_MD* digest = how.hash == KeyHash::Sha256 ? EVP_sha256() : EVP_sha512();
  if (PKCS5_PBKDF2_HMAC(passphrase.bytes().data(), static_cast<int>(passphrase.size()),
                        bytes_of(how.salt), static_cast<int>(how.salt.size()),
                        static_cast<int>(how.iterations), digest, static_cast<int>(key.size()),
                        reinterpret_cast<unsigned char*>(key.data())) != 1) {
    return base::Error{"OpenSSL could not derive a key"};
  }
  return key;
}

base::Result<std::string> random_bytes(std::size_t length) {
  std::string bytes(length, '\0');
  if (RAND_bytes(bytes_of(bytes, 0), static_cast<int>(length)) != 1) {
    return base::Error{"the system has no random bytes"};
  }
  return bytes;
}

base::Result<Key> random_key(std::size_t length) {
  Key key = Key::zeros(length);
  if (RAND_bytes(reinterpret_cast<unsigned char*>(key.data()), static_cast<int>(length)) != 1) {
    return base::Error{"the system has no random bytes"};
  }
  return key;
}

bool is_aes_key_length(std::size_t length) { return length == 16 || length == 24 || length == 32; }

base::Result<std::string> encrypt_aes_gcm(const Key& key, std::string_view text,
                                          std::string_view aad) {
  auto nonce = random_bytes(kNonce);
  if (!nonce) return nonce;
  const base::Error failed{"OpenSSL could not encrypt with AES-GCM"};
  const Context context = begin(key, *nonce, aad, true);
  if (context == nullptr) return failed;
  std::string out = std::move(*nonce);
  out.resize(kNonce + text.size() + kTag);
  int length = 0;
  const std::size_t tag = kNonce + text.size();
  if (!update(context.get(), text, out, kNonce) ||
      EVP_CipherFinal_ex(context.get(), bytes_of(out, tag), &length) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTag, bytes_of(out, tag)) != 1) {
    return failed;
  }
  return out;
}

base::Result<std::string> decrypt_aes_gcm(const Key& key, std::string_view encrypted,
                                          std::string_view aad) {
  if (encrypted.size() < kNonce + kTag) return base::Error{"the encrypted data is too short"};
  const Context context = begin(key, encrypted.substr(0, kNonce), aad, false);
  if (context == nullptr) return base::Error{"OpenSSL could not decrypt with AES-GCM"};
  const std::string_view text = encrypted.substr(kNonce, encrypted.size() - kNonce - kTag);
  std::string tag(encrypted.substr(encrypted.size() - kTag));
  std::string out(text.size(), '\0');
  unsigned char rest[kTag];
  int length = 0;
  if (!update(context.get(), text, out, 0) ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTag, bytes_of(tag, 0)) != 1 ||
      EVP_CipherFinal_ex(context.get(), rest, &length) != 1) {
    wipe(out);
    return base::Error{"the key is another one, or the data was changed"};
  }
  return out;
}

}  // namespace tofu::encryption
