#include "tests/net/test_identity.h"

#include <cstdlib>
#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace tofu::net {

namespace {

void need(bool right) {
  if (!right) std::abort();  // the test cannot be made
}

X509* make_certificate(EVP_PKEY* key) {
  X509* certificate = ::X509_new();
  ::X509_set_version(certificate, X509_VERSION_3);
  ::ASN1_INTEGER_set(::X509_get_serialNumber(certificate), 1);
  ::X509_gmtime_adj(::X509_getm_notBefore(certificate), -3600);
  ::X509_gmtime_adj(::X509_getm_notAfter(certificate), 3600);
  ::X509_set_pubkey(certificate, key);
  X509_NAME* name = ::X509_get_subject_name(certificate);
  ::X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>("loopback"), -1, -1, 0);
  ::X509_set_issuer_name(certificate, name);
  X509_EXTENSION* addresses =
      ::X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, "IP:127.0.0.1");
  need(addresses != nullptr);
  ::X509_add_ext(certificate, addresses, -1);
  ::X509_EXTENSION_free(addresses);
  need(::X509_sign(certificate, key, ::EVP_sha256()) != 0);
  return certificate;
}

std::string as_text(X509* certificate) {
  BIO* memory = ::BIO_new(::BIO_s_mem());
  ::PEM_write_bio_X509(memory, certificate);
  char* data = nullptr;
  const long size = ::BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<std::size_t>(size));
  ::BIO_free(memory);
  return text;
}

}  // namespace

TestIdentity::TestIdentity() : context_(::SSL_CTX_new(::TLS_server_method())) {
  EVP_PKEY* key = ::EVP_EC_gen("P-256");
  need(context_ != nullptr && key != nullptr);
  X509* certificate = make_certificate(key);
  certificate_ = as_text(certificate);
  need(::SSL_CTX_use_certificate(context_, certificate) == 1);
  need(::SSL_CTX_use_PrivateKey(context_, key) == 1);
  ::X509_free(certificate);
  ::EVP_PKEY_free(key);
}

TestIdentity::~TestIdentity() { ::SSL_CTX_free(context_); }

}  // namespace tofu::net
