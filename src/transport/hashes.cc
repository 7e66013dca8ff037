#include "transport/hashes.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/descriptor.h"

namespace tofu::transport {

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

struct Free {
  void operator()(EVP_MD_CTX* context) const { ::EVP_MD_CTX_free(context); }
  void operator()(EVP_PKEY* key) const { ::EVP_PKEY_free(key); }
  void operator()(BIO* bio) const { ::BIO_free(bio); }
  void operator()(X509* certificate) const { ::X509_free(certificate); }
  void operator()(PKCS12* file) const { ::PKCS12_free(file); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

Owned<BIO> reader_of(std::string_view text) {
  return Owned<BIO>(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// Keys with a password cannot be used: nobody is there to type it.
int no_password(char*, int, int, void*) { return -1; }

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

base::Result<std::string> sign_rs256(std::string_view private_key, std::string_view text) {
  const auto bio = reader_of(private_key);
  const Owned<EVP_PKEY> key(::PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr));
  if (!key || ::EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return base::Error{"the private key is not an RSA key in PEM without a password"};
  }
  const Owned<EVP_MD_CTX> context(::EVP_MD_CTX_new());
  std::size_t size = 0;
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  if (::EVP_DigestSignInit(context.get(), nullptr, ::EVP_sha256(), nullptr, key.get()) != 1 ||
      ::EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) {
    return base::Error{"signing with the private key failed"};
  }
  std::string signature(size, '\0');
  if (::EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                       bytes, text.size()) != 1) {
    return base::Error{"signing with the private key failed"};
  }
  signature.resize(size);
  return signature;
}

base::Result<std::string> pkcs12_to_pem(std::string_view bytes, const std::string& password) {
  // Files of Azure are often encrypted with RC2, which OpenSSL has apart from the rest.
  (void)::OSSL_PROVIDER_try_load(nullptr, "default", 1);
  (void)::OSSL_PROVIDER_try_load(nullptr, "legacy", 1);
  const auto bio = reader_of(bytes);
  const Owned<PKCS12> file(::d2i_PKCS12_bio(bio.get(), nullptr));
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
  if (!file || ::PKCS12_parse(file.get(), password.c_str(), &key, &certificate, nullptr) != 1) {
    return base::Error{"it is not a PKCS #12 file that this password opens"};
  }
  const Owned<EVP_PKEY> kept_key(key);
  const Owned<X509> kept_certificate(certificate);
  const Owned<BIO> out(::BIO_new(::BIO_s_mem()));
  if (!out || key == nullptr || certificate == nullptr ||
      ::PEM_write_bio_X509(out.get(), certificate) != 1 ||
      ::PEM_write_bio_PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) {
    return base::Error{"it has no certificate with its private key"};
  }
  char* text = nullptr;
  const long size = BIO_get_mem_data(out.get(), &text);
  return std::string(text, static_cast<std::size_t>(size));
}

base::Result<std::string> certificate_sha1(std::string_view pem) {
  const auto bio = reader_of(pem);
  const Owned<X509> certificate(::PEM_read_bio_X509(bio.get(), nullptr, &no_password, nullptr));
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes;
  unsigned size = 0;
  if (!certificate || ::X509_digest(certificate.get(), ::EVP_sha1(), bytes.data(), &size) != 1) {
    return base::Error{"there is no certificate in PEM"};
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), size);
}

}  // namespace tofu::transport
