// An RSA key with a certificate, made for one test.
//
// Also checks what was signed with it, by OpenSSL itself and not by the code under test,
// and decodes the parts of tokens.
#pragma once

#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string>
#include <string_view>

namespace tofu::identity {

class RsaKey {
 public:
  RsaKey() : key_(::EVP_RSA_gen(2048)) {}
  RsaKey(const RsaKey&) = delete;
  RsaKey& operator=(const RsaKey&) = delete;
  ~RsaKey() { ::EVP_PKEY_free(key_); }

  std::string private_pem() const {
    BIO* out = ::BIO_new(::BIO_s_mem());
    ::PEM_write_bio_PrivateKey(out, key_, nullptr, nullptr, 0, nullptr, nullptr);
    return taken(out);
  }
  std::string certificate_pem() const {
    X509* certificate = ::X509_new();
    ::X509_gmtime_adj(::X509_getm_notBefore(certificate), -60);
    ::X509_gmtime_adj(::X509_getm_notAfter(certificate), 60);
    ::X509_set_pubkey(certificate, key_);
    ::X509_sign(certificate, key_, ::EVP_sha256());
    BIO* out = ::BIO_new(::BIO_s_mem());
    ::PEM_write_bio_X509(out, certificate);
    ::X509_free(certificate);
    return taken(out);
  }

  // Whether a JSON Web Token was signed with it, by its last part.
  bool signed_it(std::string_view token) const {
    const std::size_t dot = token.rfind('.');
    const std::string signature = decoded(token.substr(dot + 1));
    const std::string_view text = token.substr(0, dot);
    EVP_MD_CTX* context = ::EVP_MD_CTX_new();
    ::EVP_DigestVerifyInit(context, nullptr, ::EVP_sha256(), nullptr, key_);
    const int right = ::EVP_DigestVerify(
        context, reinterpret_cast<const unsigned char*>(signature.data()), signature.size(),
        reinterpret_cast<const unsigned char*>(text.data()), text.size());
    ::EVP_MD_CTX_free(context);
    return right == 1;
  }

  // Base64 for URLs.
  static std::string decoded(std::string_view text) {
    std::string padded(text);
    for (char& c : padded) c = c == '-' ? '+' : c == '_' ? '/' : c;
    const std::size_t missing = (4 - padded.size() % 4) % 4;
    padded.append(missing, '=');
    std::string out(padded.size(), '\0');
    const int size = ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                       reinterpret_cast<const unsigned char*>(padded.data()),
                                       static_cast<int>(padded.size()));
    out.resize(size < 0 ? 0 : static_cast<std::size_t>(size) - missing);
    return out;
  }

 private:
  static std::string taken(BIO* memory) {
    char* data = nullptr;
    const long size = ::BIO_get_mem_data(memory, &data);
    std::string text(data, static_cast<std::size_t>(size));
    ::BIO_free(memory);
    return text;
  }

  EVP_PKEY* key_;
};

}  // namespace tofu::identity
