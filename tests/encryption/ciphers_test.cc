#include "encryption/ciphers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "base/hashes.h"

namespace tofu::encryption {
namespace {

std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

std::string derived(std::string_view passphrase, const Derivation& how) {
  return base::to_hex(derive_key(Key(passphrase), how)->bytes());
}

TEST(Ciphers, DerivesTheKeysOfTheStandards) {
  // RFC 7914, section 11.
  EXPECT_EQ(derived("passwd", {"salt", 1, 64, KeyHash::Sha256}),
            "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
            "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783");
  EXPECT_EQ(derived("password", {"salt", 2, 64, KeyHash::Sha512}),
            "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c"
            "f76cab2868a39b9f7840edce4fef5a82be67335c77a6068e04112754f27ccf4e");
}

// Case 4 of the specification of GCM.
const std::string kNonce = bytes("cafebabefacedbaddecaf888");
const std::string kText = bytes(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39");
const std::string kAad = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2");
const std::string kEncrypted = bytes(
    "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
    "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091");
const std::string kTag = bytes("5bc94fbc3221a5db94fae95ae7121a47");

const Key kKey(bytes("feffe9928665731c6d6a8f9467308308"));

TEST(Ciphers, DecryptsWhatTheSpecificationEncrypts) {
  const auto text = decrypt_aes_gcm(kKey, kNonce + kEncrypted + kTag, kAad);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, kText);
}

TEST(Ciphers, WhatIsEncryptedComesBackWithKeysOfEveryLength) {
  for (const std::size_t length : {16, 24, 32}) {
    const auto key = random_key(length);
    for (const std::string text : {"", "a", "a longer text that has more than one block of AES"}) {
      const auto encrypted = encrypt_aes_gcm(*key, text, "x");
      ASSERT_TRUE(encrypted);
      EXPECT_EQ(encrypted->size(), 12 + text.size() + 16);
      EXPECT_EQ(*decrypt_aes_gcm(*key, *encrypted, "x"), text);
    }
  }
}

TEST(Ciphers, NoNonceIsUsedTwice) {
  std::set<std::string> nonces;
  for (int i = 0; i < 1000; ++i) nonces.insert(encrypt_aes_gcm(kKey, "a", {})->substr(0, 12));
  EXPECT_EQ(nonces.size(), 1000U);
}

TEST(Ciphers, EveryChangedByteIsRefused) {
  const std::string whole = kNonce + kEncrypted + kTag;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    EXPECT_FALSE(decrypt_aes_gcm(kKey, changed, kAad)) << i;
  }
}

TEST(Ciphers, EveryShorterTextIsRefused) {
  const std::string whole = kNonce + kEncrypted + kTag;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(decrypt_aes_gcm(kKey, whole.substr(0, length), kAad)) << length;
  }
}

TEST(Ciphers, AnotherKeyAndOtherAuthenticatedDataAreRefused) {
  const std::string whole = kNonce + kEncrypted + kTag;
  EXPECT_FALSE(decrypt_aes_gcm(Key(std::string(16, 'k')), whole, kAad));
  EXPECT_FALSE(decrypt_aes_gcm(kKey, whole, {}));
  EXPECT_FALSE(decrypt_aes_gcm(kKey, whole, kAad + "x"));
}

TEST(Key, PrintsAsStars) { EXPECT_EQ(fmt::format("{}", Key("secret")), "***"); }

TEST(Key, CanBeCopiedMovedAndAssigned) {
  Key a("first");
  const Key b = a;
  Key c("second");
  c = a;
  Key d("third");
  d = std::move(a);
  EXPECT_EQ(b.bytes(), "first");
  EXPECT_EQ(c.bytes(), "first");
  EXPECT_EQ(d.bytes(), "first");
}

}  // namespace
}  // namespace tofu::encryption
