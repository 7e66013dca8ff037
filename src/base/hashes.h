// Hashes of texts and files, by OpenSSL.
//
// For checksums of archives, digests of OCI, request signatures and names of cache entries. A hash
// that OpenSSL does not have is a broken installation, so that none of these can fail.
#pragma once

#include <cstdint>
#include <openssl/types.h>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/text_pieces.h"

namespace tofu::base {

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
std::string sha256_hex(std::string_view text);
std::string hex_digest(Hash hash, std::string_view text);
std::string digest(Hash hash, std::string_view text);
std::string digest(Hash hash, const base::TextPieces& text);
base::Result<std::string> hex_digest_of_file(Hash hash, const std::string& path);

// In bytes, as signatures of requests are made of them.
std::string hmac_sha256(std::string_view key, std::string_view text);
std::string hmac_sha1(std::string_view key, std::string_view text);

}  // namespace tofu::base
