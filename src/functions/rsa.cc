#include "functions/rsa.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <optional>

#include "base/base64.h"

namespace tofu::functions {

namespace {

template <auto Free>
struct Release {
  template <class T>
  void operator()(T* thing) const {
    Free(thing);
  }
};
using Context = std::unique_ptr<EVP_PKEY_CTX, Release<EVP_PKEY_CTX_free>>;
using BigInteger = std::unique_ptr<BIGNUM, Release<BN_clear_free>>;
using ParameterBuilder = std::unique_ptr<OSSL_PARAM_BLD, Release<OSSL_PARAM_BLD_free>>;
using Parameters = std::unique_ptr<OSSL_PARAM, Release<OSSL_PARAM_free>>;
using Pkcs8 = std::unique_ptr<PKCS8_PRIV_KEY_INFO, Release<PKCS8_PRIV_KEY_INFO_free>>;

// Shorter keys are refused, as Go refuses them.
constexpr int kMinKeyBits = 1024;

struct PemBlock {
  std::string type;
  std::string bytes;
  bool encrypted = false;
};

std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  while (line.ends_with('\r') || line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  return line;
}

// The first complete block. Lines with a colon between the marker and the
// content are headers.
std::optional<PemBlock> first_pem_block(std::string_view rest) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  constexpr std::string_view kEnd = "-----END ";
  constexpr std::string_view kDashes = "-----";
  std::optional<PemBlock> block;
  std::string content;
  while (!rest.empty()) {
    std::string_view line = take_line(rest);
    if (line.starts_with(kBegin) && line.ends_with(kDashes) &&
        line.size() > kBegin.size() + kDashes.size()) {
      line.remove_prefix(kBegin.size());
      line.remove_suffix(kDashes.size());
      block = PemBlock{std::string(line), {}};
      content.clear();
    } else if (block && line.starts_with(kEnd)) {
      auto bytes = base::base64_decode(content);
      if (bytes && line == std::string(kEnd) + block->type + std::string(kDashes)) {
        block->bytes = *std::move(bytes);
        return block;
      }
      block.reset();
    } else if (block && content.empty() && line.find(':') != std::string_view::npos) {
      if (line.starts_with("Proc-Type") && line.find("ENCRYPTED") != std::string_view::npos) {
        block->encrypted = true;
      }
    } else if (block) {
      for (const char c : line) {
        if (c != ' ' && c != '\t') content += c;
      }
    }
  }
  return std::nullopt;
}

const unsigned char* data_of(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

PrivateKey parse_pkcs1(std::string_view bytes) {
  const unsigned char* at = data_of(bytes);
  PrivateKey key(d2i_PrivateKey(EVP_PKEY_RSA, nullptr, &at, static_cast<long>(bytes.size())));
  return at == data_of(bytes) + bytes.size() ? std::move(key) : nullptr;
}

PrivateKey parse_pkcs8(std::string_view bytes) {
  const unsigned char* at = data_of(bytes);
  const Pkcs8 info(d2i_PKCS8_PRIV_KEY_INFO(nullptr, &at, static_cast<long>(bytes.size())));
  if (!info || at != data_of(bytes) + bytes.size()) return nullptr;
  return PrivateKey(EVP_PKCS82PKEY(info.get()));
}

// Strings of the SSH wire format: four bytes of length, then the content.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  std::optional<std::uint32_t> number() {
    if (rest_.size() < 4) return std::nullopt;
    std::uint32_t result = 0;
    for (int i = 0; i < 4; ++i) result = result << 8 | static_cast<unsigned char>(rest_[i]);
    rest_.remove_prefix(4);
    return result;
  }

  std::optional<std::string_view> text() {
    const auto length = number();
    if (!length || *length > rest_.size()) return std::nullopt;
    const std::string_view result = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
    return result;
  }

  BigInteger integer() {
    const auto bytes = text();
    if (!bytes) return nullptr;
    return BigInteger(BN_bin2bn(data_of(*bytes), static_cast<int>(bytes->size()), nullptr));
  }

 private:
  std::string_view rest_;
};

PrivateKey key_from_numbers(const BigInteger& n, const BigInteger& e, const BigInteger& d) {
  const ParameterBuilder builder(OSSL_PARAM_BLD_new());
  const Context context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  if (!builder || !context || !n || !e || !d) return nullptr;
  if (OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get()) != 1 ||
      OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_D, d.get()) != 1) {
    return nullptr;
  }
  const Parameters parameters(OSSL_PARAM_BLD_to_param(builder.get()));
  EVP_PKEY* key = nullptr;
  if (!parameters || EVP_PKEY_fromdata_init(context.get()) != 1 ||
      EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_KEYPAIR, parameters.get()) != 1) {
    return nullptr;
  }
  return PrivateKey(key);
}

// One key, not encrypted: cipher and key derivation are "none".
PrivateKey parse_openssh(std::string_view bytes) {
  constexpr std::string_view kMagic("openssh-key-v1\0", 15);
  if (!bytes.starts_with(kMagic)) return nullptr;
  WireReader outer(bytes.substr(kMagic.size()));
  const auto cipher = outer.text();
  const auto derivation = outer.text();
  outer.text();  // options of the derivation
  const auto count = outer.number();
  outer.text();  // the public key
  const auto secret = outer.text();
  if (cipher != "none" || derivation != "none" || count != 1u || !secret) return nullptr;
  WireReader inner(*secret);
  const auto check = inner.number();
  if (!check || check != inner.number() || inner.text() != "ssh-rsa") return nullptr;
  const BigInteger n = inner.integer();
  const BigInteger e = inner.integer();
  const BigInteger d = inner.integer();
  return key_from_numbers(n, e, d);
}

BigInteger number_of(const PrivateKey& key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(key.get(), name, &number);
  return BigInteger(number);
}

// Whether the primes, if the key has them, belong to its modulus: finds most
// keys that were damaged, without the long proof that the primes are primes.
bool is_consistent(const PrivateKey& key) {
  const BigInteger p = number_of(key, OSSL_PKEY_PARAM_RSA_FACTOR1);
  const BigInteger q = number_of(key, OSSL_PKEY_PARAM_RSA_FACTOR2);
  const BigInteger n = number_of(key, OSSL_PKEY_PARAM_RSA_N);
  if (!p || !q) return true;
  const std::unique_ptr<BN_CTX, Release<BN_CTX_free>> context(BN_CTX_new());
  const BigInteger product(BN_new());
  return n && context && product && BN_mul(product.get(), p.get(), q.get(), context.get()) == 1 &&
         BN_cmp(product.get(), n.get()) == 0;
}

}  // namespace

void FreeKey::operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }

base::Result<PrivateKey> parse_rsa_key(std::string_view pem) {
  const auto block = first_pem_block(pem);
  if (!block) return base::Error{"the key is not in PEM form"};
  if (block->encrypted || block->type == "ENCRYPTED PRIVATE KEY") {
    return base::Error{"the key is protected by a passphrase; a key without one is needed"};
  }
  PrivateKey key;
  if (block->type == "RSA PRIVATE KEY") {
    key = parse_pkcs1(block->bytes);
  } else if (block->type == "PRIVATE KEY") {
    key = parse_pkcs8(block->bytes);
  } else if (block->type == "OPENSSH PRIVATE KEY") {
    key = parse_openssh(block->bytes);
  } else {
    return base::Error{"the key is not an RSA private key"};
  }
  if (!key) return base::Error{"the key cannot be read"};
  if (EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    return base::Error{"the key is not an RSA private key"};
  }
  if (!is_consistent(key)) return base::Error{"the key is damaged"};
  return key;
}

// The padding is taken off here, because newer OpenSSL answers broken padding
// with random bytes instead of an error.
base::Result<std::string> rsa_decrypt(const PrivateKey& key, std::string_view ciphertext) {
  if (EVP_PKEY_get_bits(key.get()) < kMinKeyBits) {
    return base::Error{"the key is too short to be safe: it must have 1024 bits at least"};
  }
  const base::Error failed{"the text was not encrypted for this key"};
  const Context context(EVP_PKEY_CTX_new(key.get(), nullptr));
  if (!context || EVP_PKEY_decrypt_init(context.get()) != 1 ||
      EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_NO_PADDING) != 1) {
    return failed;
  }
  std::string out(static_cast<std::size_t>(EVP_PKEY_get_size(key.get())), '\0');
  std::size_t size = out.size();
  if (EVP_PKEY_decrypt(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size,
                       data_of(ciphertext), ciphertext.size()) != 1) {
    return failed;
  }
  // 00 02, at least eight bytes that are not zero, 00, the text.
  out.resize(size);
  const std::size_t end = out.find('\0', 2);
  if (size < 11 || out[0] != 0 || out[1] != 2 || end == std::string::npos || end < 10) {
    return failed;
  }
  return out.substr(end + 1);
}

}  // namespace tofu::functions
