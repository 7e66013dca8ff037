#include "encryption/target.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "encryption/pbkdf2.h"

namespace tofu::encryption {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"l","outputs":{}})";

Key key(char filled_with) { return Key(std::string(32, filled_with)); }

// A method with the same key for both directions.
NamedMethod method(const std::string& name, char filled_with) {
  return {"method.aes_gcm." + name,
          aes_gcm_method(fixed_keys(key(filled_with), key(filled_with)), {})};
}

NamedMethod unencrypted() { return {"method.unencrypted.u", unencrypted_method()}; }

template <class... Methods>
Target state_of(Methods... methods) {
  return Target(Content::State, {std::move(methods)...});
}

// A provider that counts its calls.
class Counting final : public KeyProvider {
 public:
  Counting() : KeyProvider("counting") {}
  mutable int made = 0;
  mutable int found = 0;

 protected:
  base::Result<NewKey> make_key() const override {
    ++made;
    return NewKey{key('c'), {{storage_name(), "1"}}};
  }
  base::Result<Key> find_key(const Metadata& metadata) const override {
    ++found;
    return metadata.contains(storage_name()) ? key('c') : Key();
  }
};

TEST(Target, AStateComesBackAndKeepsItsIdentityOutside) {
  const Target target = state_of(method("m", 'a'));
  EXPECT_FALSE(target.is_plain());
  const auto stored = target.encrypt(kState);
  ASSERT_TRUE(stored);
  EXPECT_THAT(*stored, testing::StartsWith(R"({"serial":3,"lineage":"l","meta":{})"));
  EXPECT_THAT(*stored, Not(HasSubstr("outputs")));
  EXPECT_EQ(*target.decrypt(*stored), kState);
  EXPECT_FALSE(target.is_outdated(*stored));
}

TEST(Target, AChangedIdentityIsRefused) {
  const Target target = state_of(method("m", 'a'));
  std::string stored = *target.encrypt(kState);
  std::string serial = stored;
  serial.replace(serial.find(":3"), 2, ":4");
  EXPECT_THAT(target.decrypt(serial).error().what, HasSubstr("serial is 4 outside"));
  std::string lineage = stored;
  lineage.replace(lineage.find("\"l\""), 3, "\"x\"");
  EXPECT_THAT(target.decrypt(lineage).error().what, HasSubstr("lineage is \"x\" outside"));
}

TEST(Target, AnotherKeyIsRefused) {
  const std::string stored = *state_of(method("m", 'a')).encrypt(kState);
  const auto read = state_of(method("other", 'b')).decrypt(stored);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().what, HasSubstr("method.aes_gcm.other"));
}

TEST(Target, EveryChangedByteOfTheDataIsRefused) {
  const Target target = state_of(method("m", 'a'));
  const std::string stored = *target.encrypt(kState);
  const std::size_t from = stored.find("encrypted_data\":\"") + 17;
  const std::size_t to = stored.find('"', from);
  for (std::size_t i = from; i < to; ++i) {
    std::string changed = stored;
    if (changed[i] == '=') continue;
    // The last character may have bits that stand for nothing.
    if (changed[i + 1] == '=' || changed[i + 1] == '"') continue;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_FALSE(target.decrypt(changed)) << i;
  }
}

TEST(Target, EveryShorterFileIsRefused) {
  const Target target = state_of(method("m", 'a'), unencrypted());
  const std::string stored = *target.encrypt(kState);
  for (std::size_t length = 0; length < stored.size(); ++length) {
    EXPECT_FALSE(target.decrypt(std::string_view(stored).substr(0, length))) << length;
  }
}

TEST(Target, AFallbackReadsWhatTheFirstMethodCannot) {
  const std::string stored = *state_of(method("old", 'a')).encrypt(kState);
  const Target target = state_of(method("new", 'b'), method("old", 'a'));
  EXPECT_EQ(*target.decrypt(stored), kState);
  EXPECT_TRUE(target.is_outdated(stored));
  const std::string again = *target.encrypt(kState);
  EXPECT_TRUE(state_of(method("new", 'b')).decrypt(again));
  EXPECT_FALSE(target.is_outdated(again));
}

TEST(Target, AFallbackThatIsNotSetUpRightlyMattersOnlyWhenItIsNeeded) {
  const NamedMethod broken{"method.aes_gcm.broken", base::Error{"no such key provider"}};
  const Target target = state_of(method("m", 'a'), broken);
  EXPECT_TRUE(target.decrypt(*target.encrypt(kState)));
  const std::string other = *state_of(method("o", 'b')).encrypt(kState);
  EXPECT_THAT(target.decrypt(other).error().what, HasSubstr("no such key provider"));
}

TEST(Target, AnUnencryptedStateNeedsTheMethodUnencrypted) {
  EXPECT_THAT(state_of(method("m", 'a')).decrypt(kState).error().what,
              HasSubstr("it is not encrypted"));
  const Target target = state_of(method("m", 'a'), unencrypted());
  EXPECT_EQ(*target.decrypt(kState), kState);
  EXPECT_TRUE(target.is_outdated(kState));
}

TEST(Target, WithUnencryptedFirstAnEncryptedStateIsStoredWithoutEncryption) {
  const Target target = state_of(unencrypted(), method("m", 'a'));
  EXPECT_FALSE(target.is_plain());
  EXPECT_EQ(*target.encrypt(kState), kState);
  const std::string stored = *state_of(method("m", 'a')).encrypt(kState);
  EXPECT_EQ(*target.decrypt(stored), kState);
  EXPECT_TRUE(target.is_outdated(stored));
}

TEST(Target, OnlyUnencryptedIsPlainAndReadsNothingEncrypted) {
  const Target target = state_of(unencrypted());
  EXPECT_TRUE(target.is_plain());
  EXPECT_FALSE(target.decrypt(*state_of(method("m", 'a')).encrypt(kState)));
}

TEST(Target, WhatIsNeitherAStateNorEncryptedIsRefusedEvenWithUnencrypted) {
  const Target target = state_of(method("m", 'a'), unencrypted());
  for (const char* text : {"{}", "null", "x", R"({"version":4})", "PK"}) {
    EXPECT_FALSE(target.decrypt(text)) << text;
  }
}

TEST(Target, AnotherVersionOfTheFormatIsRefused) {
  const Target target = state_of(method("m", 'a'));
  std::string stored = *target.encrypt(kState);
  stored.replace(stored.find("\"v0\""), 4, "\"v1\"");
  EXPECT_THAT(target.decrypt(stored).error().what, HasSubstr("newer version"));
}

TEST(Target, APlanHasNoIdentity) {
  const Target target(Content::Plan, {method("m", 'a')});
  const std::string stored = *target.encrypt("PK bytes");
  EXPECT_THAT(stored, testing::StartsWith(R"({"meta":{})"));
  EXPECT_EQ(*target.decrypt(stored), "PK bytes");
  EXPECT_FALSE(target.decrypt("PK bytes"));
  EXPECT_EQ(*Target(Content::Plan, {method("m", 'a'), unencrypted()}).decrypt("PK bytes"),
            "PK bytes");
}

TEST(Target, RecordsOfAJournalAreAnyBytes) {
  const Target target = state_of(method("m", 'a'));
  const std::string stored = *target.encrypt_record("\x01 not JSON");
  EXPECT_THAT(stored, Not(HasSubstr("not JSON")));
  EXPECT_EQ(*target.decrypt_record(stored), "\x01 not JSON");
  EXPECT_FALSE(target.decrypt_record("\x01 not JSON"));
  EXPECT_EQ(*state_of(method("m", 'a'), unencrypted()).decrypt_record("\x01 not"), "\x01 not");
}

// A method that counts its uses.
class CountingMethod final : public Method {
 public:
  mutable int encrypted = 0;
  mutable int decrypted = 0;

  const KeyProvider* keys() const override { return nullptr; }
  base::Result<Encrypted> encrypt(std::string_view text) const override {
    ++encrypted;
    return Encrypted{std::string(text.rbegin(), text.rend()), {}};
  }
  base::Result<std::string, DecryptionFailure> decrypt(std::string_view data,
                                                       const Metadata&) const override {
    ++decrypted;
    return std::string(data.rbegin(), data.rend());
  }
};

TEST(Target, ForAThousandRecordsAMethodIsUsedOnce) {
  const auto method = std::make_shared<CountingMethod>();
  const Target target =
      state_of(NamedMethod{"method.external.m", std::shared_ptr<const Method>(method)});
  for (int i = 0; i < 1000; ++i) {
    const std::string text = fmt::format("record {}", i);
    EXPECT_EQ(*target.decrypt_record(*target.encrypt_record(text)), text);
  }
  EXPECT_EQ(method->encrypted, 1);
  EXPECT_EQ(method->decrypted, 1);
}

TEST(Target, ARecordThatWasChangedIsRefused) {
  const Target target = state_of(method("m", 'a'));
  std::string stored = *target.encrypt_record("a record");
  const std::size_t at = stored.find("encrypted_data") + 20;
  stored[at] = stored[at] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(target.decrypt_record(stored));
  EXPECT_FALSE(target.decrypt_record(*target.encrypt(kState)));
}

TEST(Target, ARecordOfAnOldKeyIsReadByAFallback) {
  const std::string stored = *state_of(method("old", 'a')).encrypt_record("a record");
  EXPECT_EQ(*state_of(method("new", 'b'), method("old", 'a')).decrypt_record(stored), "a record");
  EXPECT_FALSE(state_of(method("new", 'b')).decrypt_record(stored));
}

TEST(Target, AKeyProviderIsAskedOnceForARun) {
  const auto keys = std::make_shared<Counting>();
  const Target target(Content::State, {{"method.aes_gcm.m", aes_gcm_method(keys, {})}});
  for (int i = 0; i < 5; ++i) {
    const std::string stored = *target.encrypt_record("x");
    EXPECT_EQ(*target.decrypt_record(stored), "x");
  }
  EXPECT_EQ(keys->made, 1);
  EXPECT_EQ(keys->found, 1);
}

TEST(Target, WithoutItsMetadataAKeyIsNotFound) {
  const auto keys = std::make_shared<Counting>();
  const Target target(Content::State, {{"method.aes_gcm.m", aes_gcm_method(keys, {})}});
  EXPECT_THAT(target.decrypt(envelope_text(StateIdentity{}, {}, "data")).error().what,
              HasSubstr("no key belongs to it"));
}

TEST(Target, TwoKeyProvidersCannotShareTheirMetadata) {
  const auto method_with = [](const std::string& name, std::string_view passphrase) {
    return NamedMethod{
        "method.aes_gcm." + name,
        aes_gcm_method(pbkdf2_provider("alias", {.passphrase = Key(passphrase), .iterations = 1}),
                       {})};
  };
  const std::string stored = *state_of(method_with("old", "old passphrase")).encrypt(kState);
  const auto read =
      state_of(method_with("new", "new passphrase"), method_with("old", "old passphrase"))
          .decrypt(stored);
  EXPECT_THAT(read.error().what, HasSubstr("encrypted_metadata_alias"));
}

TEST(Target, OneKeyProviderCanServeTwoMethods) {
  const std::shared_ptr<const KeyProvider> keys =
      pbkdf2_provider("k", {.passphrase = Key("passphrase"), .iterations = 1});
  const NamedMethod with{"method.aes_gcm.with", aes_gcm_method(keys, "aad")};
  const NamedMethod without{"method.aes_gcm.without", aes_gcm_method(keys, {})};
  const std::string stored = *state_of(without).encrypt(kState);
  EXPECT_EQ(*state_of(with, without).decrypt(stored), kState);
}

TEST(Pbkdf2, MetadataOfSomebodyElseIsBounded) {
  const auto keys = pbkdf2_provider("k", {.passphrase = Key("passphrase")});
  const auto found = [&](std::string_view metadata) {
    return keys->decryption_key({{"k", std::string(metadata)}});
  };
  EXPECT_FALSE(found("x"));
  EXPECT_FALSE(
      found(R"({"salt":"eA==","iterations":-1,"hash_function":"sha512","key_length":32})"));
  EXPECT_FALSE(
      found(R"({"salt":"eA==","iterations":4000000000,"hash_function":"sha512","key_length":32})"));
  EXPECT_FALSE(
      found(R"({"salt":"eA==","iterations":1,"hash_function":"sha512","key_length":4000000000})"));
  EXPECT_FALSE(found(R"({"salt":"eA==","iterations":1,"hash_function":"md5","key_length":32})"));
  EXPECT_FALSE(found(R"({"salt":"*","iterations":1,"hash_function":"sha512","key_length":32})"));
  // Without one of the parts no key belongs to it, which is no error of the provider.
  EXPECT_TRUE(found(R"({"iterations":1,"hash_function":"sha512","key_length":32})")->is_empty());
  EXPECT_EQ(
      found(R"({"salt":"eA==","iterations":1,"hash_function":"sha256","key_length":24})")->size(),
      24U);
}

}  // namespace
}  // namespace tofu::encryption
