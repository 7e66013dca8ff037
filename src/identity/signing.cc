#include "identity/signing.h"

#include <array>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/x509.h>

namespace tofu::identity {

namespace {

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

// Keys with a password cannot be used: there is no prompt.
int no_password(char*, int, int, void*) { return -1; }

}  // namespace

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
    return base::Error{"it contains no PEM certificate"};
  }
  return std::string(reinterpret_cast<const char*>(bytes.data()), size);
}

}  // namespace tofu::identity
