// Hashes of texts and files, and signatures, by OpenSSL.
//
// The one place of this room that hashes: checksums of archives, digests of OCI, request
// signatures and tokens that are signed with a private key.
#pragma once

#include <cstdint>
#include <openssl/types.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text_pieces.h"

namespace tofu::transport {

enum class Hash : std::uint8_t { Md5, Sha1, Sha256, Sha512 };

// "sha256"
std::string_view name_of(Hash hash);
// The hash of that name, in any case.
std::optional<Hash> hash_of_name(std::string_view name);
// Hexadecimal digits of a digest.
std::size_t digits_of(Hash hash);

std::string to_hex(std::string_view bytes);

// Takes bytes as they come.
class StreamHasher {
 public:
  explicit StreamHasher(Hash hash);
  ~StreamHasher();
  StreamHasher(const StreamHasher&) = delete;
  StreamHasher& operator=(const StreamHasher&) = delete;

  void begin();  // anew
  void add(std::string_view bytes);
  // In hexadecimal or in bytes. Only begin() may follow.
  std::string finish() { return to_hex(finish_bytes()); }
  std::string finish_bytes();

 private:
  Hash hash_;
  EVP_MD_CTX* context_;
};

// In hexadecimal, and in bytes.
std::string hex_digest(Hash hash, std::string_view text);
std::string digest(Hash hash, std::string_view text);
std::string digest(Hash hash, const base::TextPieces& text);
base::Result<std::string> hex_digest_of_file(Hash hash, const std::string& path);

// In bytes, as signatures of requests are made of them.
std::string hmac_sha256(std::string_view key, std::string_view text);
std::string hmac_sha1(std::string_view key, std::string_view text);

// The signature RS256 of JSON Web Tokens, by a private RSA key in PEM.
base::Result<std::string> sign_rs256(std::string_view private_key, std::string_view text);
// The certificate and the private key of a PKCS #12 file, as PEM.
base::Result<std::string> pkcs12_to_pem(std::string_view bytes, const std::string& password);
// The hash of the first certificate of a file in PEM: x5t of JSON Web Tokens, in bytes.
base::Result<std::string> certificate_sha1(std::string_view pem);

}  // namespace tofu::transport
