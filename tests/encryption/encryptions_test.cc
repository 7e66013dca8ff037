#include "encryption/encryptions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/config/link_fixture.h"

namespace tofu::encryption {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view kState =
    R"({"version":4,"terraform_version":"1.12.6","serial":3,"lineage":"l","outputs":{}})";

class EncryptionBlock : public config::LinkFixture {
 protected:
  // Of an encryption block with this inside, which begins at line 3.
  std::unique_ptr<const Encryptions> set_up(const std::string& inside,
                                            const std::string& beside = {}) {
    write(".", "terraform {\n encryption {\n" + inside + "\n }\n}\n" + beside);
    const config::Tree tree = link();
    if (diags_.has_errors()) return nullptr;
    auto made = Encryptions::set_up(*tree.root().module->encryption, *tree.root().statics, context_,
                                    diags_);
    EXPECT_EQ(made == nullptr, diags_.has_errors());
    return made;
  }
  std::string details() const {
    std::string text;
    for (const diag::Diagnostic& each : diags_.items()) text += each.detail + "\n";
    return text;
  }

 private:
  std::stop_source stop_;
  net::EnvironmentVariable environment_ = [](std::string_view) { return ""; };
  KeyProviderContext context_{{}, environment_, stop_.get_token()};
};

constexpr const char* kPassphrase = R"(
key_provider "pbkdf2" "k" {
  passphrase = "correct-horse-battery-staple"
  iterations = 200000
}
method "aes_gcm" "m" {
  keys = key_provider.pbkdf2.k
}
)";

TEST_F(EncryptionBlock, AnEmptyOneStoresEverythingAsItIs) {
  const auto made = set_up("");
  ASSERT_TRUE(made);
  EXPECT_TRUE(made->state().is_plain());
  EXPECT_TRUE(made->plan().is_plain());
  EXPECT_TRUE(made->remote_state("x").is_plain());
}

TEST_F(EncryptionBlock, EncryptsWhatItNamesAndNothingElse) {
  const auto made = set_up(std::string(kPassphrase) + "state {\n method = method.aes_gcm.m\n}");
  ASSERT_TRUE(made) << details();
  EXPECT_TRUE(made->plan().is_plain());
  const auto stored = made->state().encrypt(kState);
  ASSERT_TRUE(stored);
  EXPECT_THAT(*stored, HasSubstr("\"key_provider.pbkdf2.k\":"));
  EXPECT_EQ(*made->state().decrypt(*stored), kState);
}

// Written by OpenTofu 1.12.6 with the settings of the test.
constexpr std::string_view kByOpenTofu = R"({
  "serial": 1,
  "lineage": "54baa1e3-6916-70db-1d3f-53a257e164fe",
  "meta": {
    "key_provider.pbkdf2.k": "eyJzYWx0IjoibzRKRWEwdDVWY2lxZGowZlJpZU5sWXJ5UDQzb1F1T3ptb0lOVi9peG5aST0iLCJpdGVyYXRpb25zIjoyMDAwMDAsImhhc2hfZnVuY3Rpb24iOiJzaGEyNTYiLCJrZXlfbGVuZ3RoIjoxNn0="
  },
  "encrypted_data": "Km69ZnX4PU8M2tIL4MSljBhoxFEyK2l9saKqfD1cDIBk2zxaRj1hgHIgVYFtYYAzas/WXmWf/4NSIv8vV08uKNBoU46DflI41jz6ONJRAbNgPSzAbld6iZTJ2Bk1yFy7gtwFlSVAeLHqw3839f6poVBHZ6BjJqePNe3GMXlQZgcGDnaEjluBQLqwFTxXSaMiP5Y76so7snPypX/lLnDESCxFQGGtdp49NJTlTA2THLdbHO3GLQBIQTmGKK0fDd/GBMnhrTuIfOjVrjlbVD/Um+coywKFemE=",
  "encryption_version": "v0"
})";

TEST_F(EncryptionBlock, ReadsAStateThatOpenTofuWrote) {
  // How long the key is and how it was made is taken from the file.
  const auto made = set_up(
      "key_provider \"pbkdf2\" \"k\" {\n passphrase = \"correct-horse-battery-staple\"\n}\n"
      "method \"aes_gcm\" \"m\" {\n keys = key_provider.pbkdf2.k\n aad = [1, 2, 255]\n}\n"
      "state {\n method = method.aes_gcm.m\n}");
  ASSERT_TRUE(made) << details();
  const auto text = made->state().decrypt(kByOpenTofu);
  ASSERT_TRUE(text) << text.error().what;
  EXPECT_THAT(*text, HasSubstr(R"("outputs":{"o":{"value":"one","type":"string"}})"));
}

TEST_F(EncryptionBlock, TakesVariablesAndSecrets) {
  const auto made = set_up(
      "key_provider \"pbkdf2\" \"k\" {\n passphrase = var.p\n iterations = local.i\n}\n"
      "method \"aes_gcm\" \"m\" {\n keys = var.p == \"\" ? null : key_provider.pbkdf2.k\n}\n"
      "state {\n method = method.aes_gcm.m\n}",
      "variable \"p\" {\n default = \"correct-horse-battery-staple\"\n sensitive = true\n}\n"
      "locals {\n i = 200000\n}\n");
  EXPECT_TRUE(made) << details();
}

TEST_F(EncryptionBlock, WhatIsNotUsedIsNotLookedAt) {
  const auto made =
      set_up("key_provider \"nope\" \"k\" {\n x = unknown.y\n}\nmethod \"nope\" \"m\" {}\n");
  EXPECT_TRUE(made);
  EXPECT_THAT(diags_.items(), IsEmpty());
}

TEST_F(EncryptionBlock, ReferencesHaveToLeadSomewhere) {
  set_up(
      "method \"aes_gcm\" \"m\" {\n"         // line 3
      " keys = key_provider.pbkdf2.zz\n}\n"  // 4
      "state {\n method = method.aes_gcm.m\n}\n"
      "plan {\n method = method.aes_gcm.zz\n}\n"                        // 10
      "remote_state_data_sources {\n default {\n  method = 5\n }\n}");  // 14
  EXPECT_THAT(error_lines(), ElementsAre(4, 10, 14));
}

TEST_F(EncryptionBlock, ATargetNeedsAMethod) {
  set_up("state {\n enforced = true\n}");
  EXPECT_THAT(error_lines(), ElementsAre(3));
}

TEST_F(EncryptionBlock, UnencryptedIsWarnedOfAndForbiddenWhereEncryptionIsEnforced) {
  set_up(
      "method \"unencrypted\" \"u\" {}\nstate {\n method = method.unencrypted.u\n enforced = "
      "true\n}");
  EXPECT_THAT(places(), ElementsAre(".:2", "w .:2"));
}

TEST_F(EncryptionBlock, APassphraseIsInNoMessage) {
  for (const char* settings :
       {"passphrase = \"secret\"", "passphrase = [\"secret\"]", "passphrase = \"secret\" + 1",
        "passphrase = \"secret secret secret\"\n key_length = 31",
        "passphrase = \"secret secret secret\"\n iterations = 1",
        "passphrase = \"secret secret secret\"\n hash_function = \"md5\"",
        "passphrase = \"secret secret secret\"\n salt_length = 0",
        "passphrase = \"secret secret secret\"\n bogus = 1",
        "passphrase = \"secret secret secret\"\n chain = key_provider.pbkdf2.k",
        "key_length = 32"}) {
    diags_.clear();
    EXPECT_FALSE(set_up("key_provider \"pbkdf2\" \"k\" {\n " + std::string(settings) +
                            "\n}\nmethod \"aes_gcm\" \"m\" {\n keys = key_provider.pbkdf2.k\n}\n"
                            "state {\n method = method.aes_gcm.m\n}",
                        "variable \"p\" {\n default = \"secret\"\n}\n"))
        << settings;
    EXPECT_THAT(details(), Not(HasSubstr("secret"))) << settings;
    for (const diag::Diagnostic& each : diags_.items()) EXPECT_THAT(each.values, IsEmpty());
  }
}

TEST_F(EncryptionBlock, KeysCanBeChained) {
  const auto made = set_up(
      "key_provider \"pbkdf2\" \"first\" {\n passphrase = \"correct-horse-battery-staple\"\n "
      "iterations = 200000\n}\n"
      "key_provider \"pbkdf2\" \"second\" {\n chain = key_provider.pbkdf2.first\n iterations = "
      "200000\n encrypted_metadata_alias = \"second\"\n}\n"
      "method \"aes_gcm\" \"m\" {\n keys = key_provider.pbkdf2.second\n}\n"
      "state {\n method = method.aes_gcm.m\n}");
  ASSERT_TRUE(made) << details();
  const auto stored = made->state().encrypt(kState);
  ASSERT_TRUE(stored);
  EXPECT_THAT(*stored, HasSubstr("\"key_provider.pbkdf2.first\":"));
  EXPECT_THAT(*stored, HasSubstr("\"second\":"));
  EXPECT_EQ(*made->state().decrypt(*stored), kState);
}

TEST_F(EncryptionBlock, AChainCannotLeadBackToItself) {
  EXPECT_FALSE(
      set_up("key_provider \"pbkdf2\" \"a\" {\n chain = key_provider.pbkdf2.b\n}\n"
             "key_provider \"pbkdf2\" \"b\" {\n chain = key_provider.pbkdf2.a\n}\n"
             "method \"aes_gcm\" \"m\" {\n keys = key_provider.pbkdf2.a\n}\n"
             "state {\n method = method.aes_gcm.m\n}"));
  EXPECT_THAT(details(), HasSubstr("needs its own key"));
  EXPECT_THAT(error_lines(), ElementsAre(7));
}

TEST_F(EncryptionBlock, ProvidersOfAChainCannotShareTheirMetadata) {
  EXPECT_FALSE(
      set_up("key_provider \"pbkdf2\" \"a\" {\n passphrase = \"correct-horse-battery-staple\"\n "
             "encrypted_metadata_alias = \"x\"\n}\n"
             "key_provider \"pbkdf2\" \"b\" {\n chain = key_provider.pbkdf2.a\n "
             "encrypted_metadata_alias = \"x\"\n}\n"
             "method \"aes_gcm\" \"m\" {\n keys = key_provider.pbkdf2.b\n}\n"
             "state {\n method = method.aes_gcm.m\n}"));
  EXPECT_THAT(details(), HasSubstr("keep their metadata as \"x\""));
}

TEST_F(EncryptionBlock, KeysCannotBeNull) {
  EXPECT_FALSE(
      set_up("method \"aes_gcm\" \"m\" {\n keys = null\n}\n"
             "state {\n method = method.aes_gcm.m\n}"));
  EXPECT_THAT(error_lines(), ElementsAre(4));
}

TEST_F(EncryptionBlock, KeysCanBeWrittenOut) {
  const auto made = set_up(
      "method \"aes_gcm\" \"m\" {\n keys = {\n  encryption_key = [for i in range(16) : i]\n  "
      "decryption_key = [for i in range(16) : i]\n }\n}\n"
      "state {\n method = method.aes_gcm.m\n}");
  ASSERT_TRUE(made) << details();
  EXPECT_EQ(*made->state().decrypt(*made->state().encrypt(kState)), kState);
}

TEST_F(EncryptionBlock, RemoteStatesHaveTheirOwnByName) {
  const auto made = set_up(std::string(kPassphrase) +
                           "remote_state_data_sources {\n"
                           " remote_state_data_source \"net.vpc[0]\" {\n"
                           "  method = method.aes_gcm.m\n }\n}");
  ASSERT_TRUE(made) << details();
  EXPECT_TRUE(made->state().is_plain());
  EXPECT_TRUE(made->remote_state("vpc").is_plain());
  EXPECT_FALSE(made->remote_state("net.vpc[0]").is_plain());
}

}  // namespace
}  // namespace tofu::encryption
