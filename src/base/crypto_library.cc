// libcrypto, loaded when one of its functions is first called.
//
// These are the functions of OpenSSL's libcrypto that the program calls, under their own names
// and declared by its own headers; each looks up what it stands for and calls it. Linked with
// the library itself, every command would pay for making 400 KB of it ready, a third of the
// time that `tofu version` takes, and most never hash or encrypt. A function that is missing
// here is one that the linker does not find: add a line.
#include "base/crypto_library.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/check.h"
#include "base/dynamic_library.h"
#include "base/result.h"

namespace {

using tofu::base::DynamicLibrary;

// Without libcrypto the package was installed in pieces: no command has an answer to that, and
// main() reports it.
const tofu::base::Result<DynamicLibrary>& library() {
  static const tofu::base::Result<DynamicLibrary> loaded =
      DynamicLibrary::load("libcrypto.so.3", "libssl3");
  return loaded;
}

template <class Function>
Function find(const char* name) {
  if (!library()) tofu::base::missing_library(library().error());
  Function function = nullptr;
  DynamicLibrary functions = *library();
  functions.find(name, function);
  if (const auto found = functions.check(); !found) {
    tofu::base::missing_library(found.error());
  }
  return function;
}

}  // namespace

void tofu::base::require_libcrypto() {
  if (!library()) missing_library(library().error());
}

#define TOFU_CRYPTO(result, name, parameters, arguments)         \
  extern "C" result name parameters {                            \
    static const auto function = find<decltype(&::name)>(#name); \
    return function arguments;                                   \
  }

TOFU_CRYPTO(long, BIO_ctrl, (BIO * a, int b, long c, void* d), (a, b, c, d))
TOFU_CRYPTO(int, BIO_free, (BIO * a), (a))
TOFU_CRYPTO(void, BIO_free_all, (BIO * a), (a))
TOFU_CRYPTO(BIO*, BIO_new, (const BIO_METHOD* a), (a))
TOFU_CRYPTO(BIO*, BIO_new_mem_buf, (const void* a, int b), (a, b))
TOFU_CRYPTO(const BIO_METHOD*, BIO_s_mem, (), ())
TOFU_CRYPTO(int, BIO_write, (BIO * a, const void* b, int c), (a, b, c))
TOFU_CRYPTO(void, BN_CTX_free, (BN_CTX * a), (a))
TOFU_CRYPTO(BN_CTX*, BN_CTX_new, (), ())
TOFU_CRYPTO(BIGNUM*, BN_bin2bn, (const unsigned char* a, int b, BIGNUM* c), (a, b, c))
TOFU_CRYPTO(void, BN_clear_free, (BIGNUM * a), (a))
TOFU_CRYPTO(int, BN_cmp, (const BIGNUM* a, const BIGNUM* b), (a, b))
TOFU_CRYPTO(void, BN_free, (BIGNUM * a), (a))
TOFU_CRYPTO(int, BN_mul, (BIGNUM * a, const BIGNUM* b, const BIGNUM* c, BN_CTX* d), (a, b, c, d))
TOFU_CRYPTO(BIGNUM*, BN_new, (), ())
TOFU_CRYPTO(int, BN_rand, (BIGNUM * a, int b, int c, int d), (a, b, c, d))
TOFU_CRYPTO(ASN1_INTEGER*, BN_to_ASN1_INTEGER, (const BIGNUM* a, ASN1_INTEGER* b), (a, b))
TOFU_CRYPTO(void, CRYPTO_free, (void* a, const char* b, int c), (a, b, c))
TOFU_CRYPTO(void, ERR_clear_error, (), ())
TOFU_CRYPTO(void, ERR_error_string_n, (long unsigned int a, char* b, size_t c), (a, b, c))
TOFU_CRYPTO(unsigned long, ERR_get_error, (), ())
TOFU_CRYPTO(int, EVP_CIPHER_CTX_ctrl, (EVP_CIPHER_CTX * a, int b, int c, void* d), (a, b, c, d))
TOFU_CRYPTO(void, EVP_CIPHER_CTX_free, (EVP_CIPHER_CTX * a), (a))
TOFU_CRYPTO(EVP_CIPHER_CTX*, EVP_CIPHER_CTX_new, (), ())
TOFU_CRYPTO(int, EVP_CipherFinal_ex, (EVP_CIPHER_CTX * a, unsigned char* b, int* c), (a, b, c))
TOFU_CRYPTO(int, EVP_CipherInit_ex,
            (EVP_CIPHER_CTX * a, const EVP_CIPHER* b, ENGINE* c, const unsigned char* d,
             const unsigned char* e, int f),
            (a, b, c, d, e, f))
TOFU_CRYPTO(int, EVP_CipherUpdate,
            (EVP_CIPHER_CTX * a, unsigned char* b, int* c, const unsigned char* d, int e),
            (a, b, c, d, e))
TOFU_CRYPTO(int, EVP_DigestFinal_ex, (EVP_MD_CTX * a, unsigned char* b, unsigned int* c), (a, b, c))
TOFU_CRYPTO(int, EVP_DigestInit_ex, (EVP_MD_CTX * a, const EVP_MD* b, ENGINE* c), (a, b, c))
TOFU_CRYPTO(int, EVP_DigestInit_ex2, (EVP_MD_CTX * a, const EVP_MD* b, const OSSL_PARAM* c),
            (a, b, c))
TOFU_CRYPTO(int, EVP_DigestSign,
            (EVP_MD_CTX * a, unsigned char* b, size_t* c, const unsigned char* d, size_t e),
            (a, b, c, d, e))
TOFU_CRYPTO(int, EVP_DigestSignInit,
            (EVP_MD_CTX * a, EVP_PKEY_CTX** b, const EVP_MD* c, ENGINE* d, EVP_PKEY* e),
            (a, b, c, d, e))
TOFU_CRYPTO(int, EVP_DigestUpdate, (EVP_MD_CTX * a, const void* b, size_t c), (a, b, c))
TOFU_CRYPTO(void, EVP_MD_CTX_free, (EVP_MD_CTX * a), (a))
TOFU_CRYPTO(EVP_MD_CTX*, EVP_MD_CTX_new, (), ())
TOFU_CRYPTO(EVP_MD*, EVP_MD_fetch, (OSSL_LIB_CTX * a, const char* b, const char* c), (a, b, c))
TOFU_CRYPTO(int, EVP_MD_get_size, (const EVP_MD* a), (a))
TOFU_CRYPTO(EVP_PKEY*, EVP_PKCS82PKEY, (const PKCS8_PRIV_KEY_INFO* a), (a))
TOFU_CRYPTO(void, EVP_PKEY_CTX_free, (EVP_PKEY_CTX * a), (a))
TOFU_CRYPTO(EVP_PKEY_CTX*, EVP_PKEY_CTX_new, (EVP_PKEY * a, ENGINE* b), (a, b))
TOFU_CRYPTO(EVP_PKEY_CTX*, EVP_PKEY_CTX_new_from_name,
            (OSSL_LIB_CTX * a, const char* b, const char* c), (a, b, c))
TOFU_CRYPTO(int, EVP_PKEY_CTX_set_group_name, (EVP_PKEY_CTX * a, const char* b), (a, b))
TOFU_CRYPTO(int, EVP_PKEY_CTX_set_rsa_padding, (EVP_PKEY_CTX * a, int b), (a, b))
TOFU_CRYPTO(int, EVP_PKEY_decrypt,
            (EVP_PKEY_CTX * a, unsigned char* b, size_t* c, const unsigned char* d, size_t e),
            (a, b, c, d, e))
TOFU_CRYPTO(int, EVP_PKEY_decrypt_init, (EVP_PKEY_CTX * a), (a))
TOFU_CRYPTO(void, EVP_PKEY_free, (EVP_PKEY * a), (a))
TOFU_CRYPTO(int, EVP_PKEY_fromdata, (EVP_PKEY_CTX * a, EVP_PKEY** b, int c, OSSL_PARAM* d),
            (a, b, c, d))
TOFU_CRYPTO(int, EVP_PKEY_fromdata_init, (EVP_PKEY_CTX * a), (a))
TOFU_CRYPTO(int, EVP_PKEY_generate, (EVP_PKEY_CTX * a, EVP_PKEY** b), (a, b))
TOFU_CRYPTO(int, EVP_PKEY_get_base_id, (const EVP_PKEY* a), (a))
TOFU_CRYPTO(int, EVP_PKEY_get_bits, (const EVP_PKEY* a), (a))
TOFU_CRYPTO(int, EVP_PKEY_get_bn_param, (const EVP_PKEY* a, const char* b, BIGNUM** c), (a, b, c))
TOFU_CRYPTO(int, EVP_PKEY_get_size, (const EVP_PKEY* a), (a))
TOFU_CRYPTO(int, EVP_PKEY_keygen_init, (EVP_PKEY_CTX * a), (a))
TOFU_CRYPTO(const EVP_CIPHER*, EVP_aes_128_gcm, (), ())
TOFU_CRYPTO(const EVP_CIPHER*, EVP_aes_192_gcm, (), ())
TOFU_CRYPTO(const EVP_CIPHER*, EVP_aes_256_gcm, (), ())
TOFU_CRYPTO(const EVP_MD*, EVP_md5, (), ())
TOFU_CRYPTO(const EVP_MD*, EVP_sha1, (), ())
TOFU_CRYPTO(const EVP_MD*, EVP_sha256, (), ())
TOFU_CRYPTO(const EVP_MD*, EVP_sha512, (), ())
TOFU_CRYPTO(unsigned char*, HMAC,
            (const EVP_MD* a, const void* b, int c, const unsigned char* d, size_t e,
             unsigned char* f, unsigned int* g),
            (a, b, c, d, e, f, g))
TOFU_CRYPTO(void, OPENSSL_cleanse, (void* a, size_t b), (a, b))
TOFU_CRYPTO(void, OSSL_PARAM_BLD_free, (OSSL_PARAM_BLD * a), (a))
TOFU_CRYPTO(OSSL_PARAM_BLD*, OSSL_PARAM_BLD_new, (), ())
TOFU_CRYPTO(int, OSSL_PARAM_BLD_push_BN, (OSSL_PARAM_BLD * a, const char* b, const BIGNUM* c),
            (a, b, c))
TOFU_CRYPTO(OSSL_PARAM*, OSSL_PARAM_BLD_to_param, (OSSL_PARAM_BLD * a), (a))
TOFU_CRYPTO(void, OSSL_PARAM_free, (OSSL_PARAM * a), (a))
TOFU_CRYPTO(OSSL_PROVIDER*, OSSL_PROVIDER_try_load, (OSSL_LIB_CTX * a, const char* b, int c),
            (a, b, c))
TOFU_CRYPTO(EVP_PKEY*, PEM_read_bio_PrivateKey,
            (BIO * a, EVP_PKEY** b, pem_password_cb* c, void* d), (a, b, c, d))
TOFU_CRYPTO(X509*, PEM_read_bio_X509, (BIO * a, X509** b, pem_password_cb* c, void* d),
            (a, b, c, d))
TOFU_CRYPTO(int, PEM_write_bio_PrivateKey,
            (BIO * a, const EVP_PKEY* b, const EVP_CIPHER* c, const unsigned char* d, int e,
             pem_password_cb* f, void* g),
            (a, b, c, d, e, f, g))
TOFU_CRYPTO(int, PEM_write_bio_X509, (BIO * a, const X509* b), (a, b))
TOFU_CRYPTO(void, PKCS12_free, (PKCS12 * a), (a))
TOFU_CRYPTO(int, PKCS12_parse,
            (PKCS12 * a, const char* b, EVP_PKEY** c, X509** d, STACK_OF(X509) * *e),
            (a, b, c, d, e))
TOFU_CRYPTO(int, PKCS5_PBKDF2_HMAC,
            (const char* a, int b, const unsigned char* c, int d, int e, const EVP_MD* f, int g,
             unsigned char* h),
            (a, b, c, d, e, f, g, h))
TOFU_CRYPTO(void, PKCS8_PRIV_KEY_INFO_free, (PKCS8_PRIV_KEY_INFO * a), (a))
TOFU_CRYPTO(int, RAND_bytes, (unsigned char* a, int b), (a, b))
TOFU_CRYPTO(X509_EXTENSION*, X509V3_EXT_conf_nid,
            (LHASH_OF(CONF_VALUE) * a, X509V3_CTX* b, int c, const char* d), (a, b, c, d))
TOFU_CRYPTO(void, X509V3_set_ctx,
            (X509V3_CTX * a, X509* b, X509* c, X509_REQ* d, X509_CRL* e, int f), (a, b, c, d, e, f))
TOFU_CRYPTO(void, X509_EXTENSION_free, (X509_EXTENSION * a), (a))
TOFU_CRYPTO(int, X509_NAME_add_entry_by_txt,
            (X509_NAME * a, const char* b, int c, const unsigned char* d, int e, int f, int g),
            (a, b, c, d, e, f, g))
TOFU_CRYPTO(X509*, X509_STORE_CTX_get0_cert, (const X509_STORE_CTX* a), (a))
TOFU_CRYPTO(int, X509_add_ext, (X509 * a, X509_EXTENSION* b, int c), (a, b, c))
TOFU_CRYPTO(int, X509_digest, (const X509* a, const EVP_MD* b, unsigned char* c, unsigned int* d),
            (a, b, c, d))
TOFU_CRYPTO(void, X509_free, (X509 * a), (a))
TOFU_CRYPTO(ASN1_INTEGER*, X509_get_serialNumber, (X509 * a), (a))
TOFU_CRYPTO(X509_NAME*, X509_get_subject_name, (const X509* a), (a))
TOFU_CRYPTO(ASN1_TIME*, X509_getm_notAfter, (const X509* a), (a))
TOFU_CRYPTO(ASN1_TIME*, X509_getm_notBefore, (const X509* a), (a))
TOFU_CRYPTO(ASN1_TIME*, X509_gmtime_adj, (ASN1_TIME * a, long b), (a, b))
TOFU_CRYPTO(X509*, X509_new, (), ())
TOFU_CRYPTO(int, X509_set_issuer_name, (X509 * a, const X509_NAME* b), (a, b))
TOFU_CRYPTO(int, X509_set_pubkey, (X509 * a, EVP_PKEY* b), (a, b))
TOFU_CRYPTO(int, X509_set_version, (X509 * a, long b), (a, b))
TOFU_CRYPTO(int, X509_sign, (X509 * a, EVP_PKEY* b, const EVP_MD* c), (a, b, c))
TOFU_CRYPTO(PKCS12*, d2i_PKCS12_bio, (BIO * a, PKCS12** b), (a, b))
TOFU_CRYPTO(PKCS8_PRIV_KEY_INFO*, d2i_PKCS8_PRIV_KEY_INFO,
            (PKCS8_PRIV_KEY_INFO * *a, const unsigned char** b, long c), (a, b, c))
TOFU_CRYPTO(EVP_PKEY*, d2i_PrivateKey, (int a, EVP_PKEY** b, const unsigned char** c, long d),
            (a, b, c, d))
TOFU_CRYPTO(int, i2d_X509, (const X509* a, unsigned char** b), (a, b))

#undef TOFU_CRYPTO
