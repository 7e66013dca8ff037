#include <crypt.h>
#include <gtest/gtest.h>
#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>

#include "base/base64.h"
#include "functions/rsa.h"
#include "functions/table.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Hash, KnownHashes) {
  expect_same({
      {R"(md5("é"))", R"("66ddcd97cfdeabb2f6fb8a999b4bc76f")"},
      {R"(sha1(""))", R"("da39a3ee5e6b4b0d3255bfef95601890afd80709")"},
      {R"(sha256(true))", R"("b5bea41b6c623f7c09f1bf24dcae58ebab3c0cdd90ad966bc43a45b44867e12b")"},
      {R"(base64sha256("hello"))", R"("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=")"},
      {R"(substr(sha512("hello"), 0, 16))", R"("9b71d224bd62f378")"},
      {R"(substr(base64sha512("hello"), 0, 8))", R"("m3HSJL1i")"},
  });
}

TEST(Uuid, VersionFiveDependsOnNamespaceAndName) {
  expect_same({
      {R"(uuidv5("dns", "example.com"))", R"("cfbff0d1-9375-5685-968c-48ce8b15ae17")"},
      {R"(uuidv5("URN:UUID:6ba7b810-9dad-11d1-80b4-00c04fd430c8", "example.com"))",
       R"(uuidv5("dns", "example.com"))"},
      {R"(uuidv5("6BA7B8109DAD11D180B400C04FD430C8", "example.com"))",
       R"(uuidv5("{6ba7b810-9dad-11d1-80b4-00c04fd430c8}", "example.com"))"},
  });
  expect_faults({
      R"(«uuidv5(»"DNS", "x"))",
      R"(«uuidv5(»"6ba7b810-9dad-11d1-80b4_00c04fd430c8", "x"))",
  });
}

TEST(Uuid, EachCallGivesANewOne) {
  Evaluation evaluation;
  const Evaluated first = evaluation.run("uuid()");
  const Evaluated second = evaluation.run("uuid()");
  ASSERT_TRUE(first.value && second.value);
  EXPECT_EQ(first.value->plain().as_string().size(), 36);
  EXPECT_NE(first.value->plain().as_string(), second.value->plain().as_string());
}

TEST(Bcrypt, TheHashVerifiesAndHasGosPrefix) {
  const Evaluated got = Evaluation().run(R"(bcrypt("pässword", 4))");
  ASSERT_TRUE(got.value) << got.message;
  const std::string hash(got.value->plain().as_string());
  EXPECT_EQ(hash.substr(0, 7), "$2a$04$");
  crypt_data memory{};
  EXPECT_EQ(std::string(crypt_r("pässword", hash.c_str(), &memory)), hash);
}

TEST(Bcrypt, CostsAndLengthsHaveLimits) {
  expect_same({{R"(substr(bcrypt("x", 1), 0, 7))", R"("$2a$10$")"}});
  expect_faults({
      R"(«bcrypt(»"x", 32))",
      R"(«bcrypt(»"x", 4.5))",
      R"(«bcrypt(»"x", 4, 4))",
      R"(«bcrypt(»join("", [for i in range(73) : "x"]), 4))",
      R"(«bcrypt(»"a\u0000b", 4))",
  });
}

TEST(Impure, AnswersAreUnknownWhilePlanning) {
  Environment environment;
  environment.pure_only = true;
  environment.now = [] { return std::pair<std::int64_t, std::int32_t>{0, 0}; };
  const Table table(environment);
  const value::Value text = value::Value::string("x");
  for (const std::string_view name : {"uuid", "timestamp", "bcrypt"}) {
    const auto got = call(*table.find(name),
                          name == "bcrypt" ? syntax::Arguments(&text, 1) : syntax::Arguments());
    ASSERT_TRUE(got.ok()) << name;
    EXPECT_TRUE(got->is_unknown() && got->plain().refinements().not_null) << name;
  }
}

struct FreeBio {
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Bio = std::unique_ptr<BIO, FreeBio>;

// One key for all tests of this file; the tests need many forms of it.
class RsaDecrypt : public testing::Test {
 protected:
  RsaDecrypt() : key_(EVP_RSA_gen(1024)) {}

  std::string pem(bool traditional) const {
    const Bio bio(BIO_new(BIO_s_mem()));
    if (traditional) {
      PEM_write_bio_PrivateKey_traditional(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr,
                                           nullptr);
    } else {
      PEM_write_bio_PKCS8PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr);
    }
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
  }

  std::string encrypted(std::string_view text) const {
    EVP_PKEY_CTX* context = EVP_PKEY_CTX_new(key_.get(), nullptr);
    EVP_PKEY_encrypt_init(context);
    std::string out(128, '\0');
    std::size_t size = out.size();
    EVP_PKEY_encrypt(context, reinterpret_cast<unsigned char*>(out.data()), &size,
                     reinterpret_cast<const unsigned char*>(text.data()), text.size());
    EVP_PKEY_CTX_free(context);
    return out;
  }

  static std::string wire(std::string_view content) {
    const auto size = static_cast<std::uint32_t>(content.size());
    std::string out;
    for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(size >> shift);
    return out.append(content);
  }

  std::string number(const char* name) const {
    BIGNUM* value = nullptr;
    EVP_PKEY_get_bn_param(key_.get(), name, &value);
    std::string bytes(static_cast<std::size_t>(BN_num_bytes(value)), '\0');
    BN_bn2bin(value, reinterpret_cast<unsigned char*>(bytes.data()));
    BN_free(value);
    return wire('\0' + bytes);
  }

  // What ssh-keygen writes.
  std::string openssh() const {
    const std::string secret = std::string(8, 'c') + wire("ssh-rsa") +
                               number(OSSL_PKEY_PARAM_RSA_N) + number(OSSL_PKEY_PARAM_RSA_E) +
                               number(OSSL_PKEY_PARAM_RSA_D);
    const std::string all = std::string("openssh-key-v1\0", 15) + wire("none") + wire("none") +
                            wire("") + std::string("\0\0\0\1", 4) + wire("public") + wire(secret);
    return "-----BEGIN OPENSSH PRIVATE KEY-----\n" + base::base64_encode(all) +
           "\n-----END OPENSSH PRIVATE KEY-----\n";
  }

  PrivateKey key_;
};

TEST_F(RsaDecrypt, OpensWithEveryFormOfTheKey) {
  const std::string secret = encrypted("opened");
  for (const std::string& form : {pem(true), pem(false), openssh(), "text before\n" + pem(true)}) {
    const auto key = parse_rsa_key(form);
    ASSERT_TRUE(key.ok()) << form.substr(0, 40) << key.error().what;
    const auto text = rsa_decrypt(*key, secret);
    ASSERT_TRUE(text.ok()) << text.error().what;
    EXPECT_EQ(*text, "opened");
  }
}

TEST_F(RsaDecrypt, BrokenPaddingIsAnErrorNotNoise) {
  const auto key = parse_rsa_key(pem(true));
  EXPECT_FALSE(rsa_decrypt(*key, std::string(128, '\1')).ok());
  EXPECT_FALSE(rsa_decrypt(*key, "").ok());
  EXPECT_FALSE(rsa_decrypt(*key, std::string(129, '\1')).ok());
}

TEST_F(RsaDecrypt, RefusesWhatIsNotAPlainRsaKey) {
  std::string damaged = pem(true);
  damaged[damaged.size() / 2] = damaged[damaged.size() / 2] == 'A' ? 'B' : 'A';
  std::string encrypted_key = pem(true);
  encrypted_key.insert(encrypted_key.find('\n') + 1, "Proc-Type: 4,ENCRYPTED\n\n");
  for (const std::string& form :
       {std::string("no key"), std::string(), damaged, encrypted_key, pem(true).substr(0, 200)}) {
    EXPECT_FALSE(parse_rsa_key(form).ok()) << form;
  }
}

TEST(RsaDecryptCall, FaultsPointAtTheArgument) {
  expect_faults({
      R"(rsadecrypt("«!!»", "no key"))",
      R"(rsadecrypt("aGk=", "«no key»"))",
  });
}

}  // namespace
}  // namespace tofu::functions
