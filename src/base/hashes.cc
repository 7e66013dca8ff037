#include "base/hashes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/descriptor.h"

namespace tofu::base {

namespace {

constexpr std::array<std::string_view, 4> kNames = {"md5", "sha1", "sha256", "sha512"};

const EVP_MD* method_of(Hash hash) {
  switch (hash) {
    case Hash::Md5: return ::EVP_md5();
    case Hash::Sha1: return ::EVP_sha1();
    case Hash::Sha256: return ::EVP_sha256();
    case Hash::Sha512: return ::EVP_sha512();
  }
  base::broken_promise("a hash is of a known kind");
}

}  // namespace

std::string_view name_of(Hash hash) { return kNames[static_cast<std::size_t>(hash)]; }

std::optional<Hash> hash_of_name(std::string_view name) {
  const auto found = std::ranges::find(kNames, base::ascii_lower(name));
  if (found == kNames.end()) return std::nullopt;
  return static_cast<Hash>(found - kNames.begin());
}

std::size_t digits_of(Hash hash) {
  return 2 * static_cast<std::size_t>(::EVP_MD_get_size(method_of(hash)));
}

StreamHasher::StreamHasher(Hash hash) : hash_(hash), context_(::EVP_MD_CTX_new()) { begin(); }
StreamHasher::~StreamHasher() { ::EVP_MD_CTX_free(context_); }

void StreamHasher::begin() {
  TOFU_CHECK(context_ != nullptr && ::EVP_DigestInit_ex(context_, method_of(hash_), nullptr) == 1,
             "OpenSSL has every hash that we use");
}

void StreamHasher::add(std::string_view bytes) {
  ::EVP_DigestUpdate(context_, bytes.data(), bytes.size());
}

std::string StreamHasher::finish_bytes() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  ::EVP_DigestFinal_ex(context_, bytes.data(), &size);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

std::string sha256_hex(std::string_view text) { return hex_digest(Hash::Sha256, text); }

std::string hex_digest(Hash hash, std::string_view text) {
  StreamHasher hasher(hash);
  hasher.add(text);
  return hasher.finish();
}

std::string digest(Hash hash, std::string_view text) {
  StreamHasher hasher(hash);
  hasher.add(text);
  return hasher.finish_bytes();
}

std::string digest(Hash hash, const base::TextPieces& text) {
  StreamHasher hasher(hash);
  text.for_each([&](std::string_view piece) { hasher.add(piece); });
  return hasher.finish_bytes();
}

base::Result<std::string> hex_digest_of_file(Hash hash, const std::string& path) {
  const base::Descriptor file = base::open_file(path, O_RDONLY);
  if (!file.is_open()) return base::system_error(errno);
  StreamHasher hasher(hash);
  std::string buffer(1 << 18, '\0');
  while (true) {
    const ssize_t count = ::read(file.number(), buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return base::system_error(errno);
    if (count == 0) return hasher.finish();
    hasher.add(std::string_view(buffer.data(), static_cast<std::size_t>(count)));
  }
}

std::string to_hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

namespace {

std::string hmac(const EVP_MD* hash, std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  ::HMAC(hash, key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), bytes.data(), &size);
  return {reinterpret_cast<const char*>(bytes.data()), size};
}

}  // namespace

std::string hmac_sha256(std::string_view key, std::string_view text) {
  return hmac(::EVP_sha256(), key, text);
}

std::string hmac_sha1(std::string_view key, std::string_view text) {
  return hmac(::EVP_sha1(), key, text);
}

}  // namespace tofu::base
