#include "encryption/envelope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::encryption {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

TEST(Envelope, IsWrittenAsOpenTofuWritesIt) {
  EXPECT_EQ(envelope_text(StateIdentity{3, "l"}, {{"key_provider.pbkdf2.k", "{}"}}, "data"),
            R"({"serial":3,"lineage":"l","meta":{"key_provider.pbkdf2.k":"e30="},)"
            R"("encrypted_data":"ZGF0YQ==","encryption_version":"v0"})");
  EXPECT_EQ(
      envelope_text(StateIdentity{}, {}, ""),
      R"({"serial":null,"lineage":"","meta":{},"encrypted_data":"","encryption_version":"v0"})");
  EXPECT_EQ(envelope_text(std::nullopt, {}, "x"),
            R"({"meta":{},"encrypted_data":"eA==","encryption_version":"v0"})");
}

TEST(Envelope, IsReadBack) {
  const auto read =
      read_envelope(envelope_text(StateIdentity{3, "l"}, {{"a", "b"}}, std::string("\0\xFF", 2)));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->identity.serial, 3U);
  EXPECT_EQ(read->identity.lineage, "l");
  EXPECT_THAT(read->metadata, ElementsAre(Pair("a", "b")));
  EXPECT_EQ(read->data, std::string("\0\xFF", 2));
  EXPECT_EQ(read->version, "v0");
}

TEST(Envelope, WhiteSpaceOtherMembersAndTheCaseOfNamesDoNotMatter) {
  const auto read = read_envelope(
      " {\n \"Meta\": null, \"more\": [1, {}], \"ENCRYPTED_DATA\": \"eA==\",\n"
      " \"encryption_version\": \"v7\"}\n");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->data, "x");
  EXPECT_EQ(read->version, "v7");
  EXPECT_FALSE(read->identity.serial);
}

TEST(Envelope, WhatIsNotOneIsRefused) {
  for (const char* text :
       {"", "{", "[]", "null", "1", "\"x\"", "{}", R"({"encryption_version":""})",
        R"({"encryption_version":1})", R"({"encryption_version":"v0","encrypted_data":"*"})",
        R"({"encryption_version":"v0","meta":[]})", R"({"encryption_version":"v0","meta":{"a":1}})",
        R"({"encryption_version":"v0","serial":"x"})", R"({"encryption_version":"v0"} x)"}) {
    EXPECT_FALSE(read_envelope(text)) << text;
    EXPECT_FALSE(is_envelope(text)) << text;
  }
  EXPECT_THAT(read_envelope("{").error().what, HasSubstr("not valid JSON"));
}

TEST(Envelope, EveryShorterFileIsRefused) {
  const std::string whole = envelope_text(StateIdentity{3, "l"}, {{"a", "b"}}, "data");
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_envelope(whole.substr(0, length))) << length;
  }
}

TEST(Envelope, OfAStateOnlyItsIdentityAndVersionAreLookedAt) {
  const auto state = read_plain_state(
      R"({"version":4,"terraform_version":"1.12.6","serial":7,"lineage":"x","resources":[{}]})");
  ASSERT_TRUE(state);
  EXPECT_EQ(state->identity.serial, 7U);
  EXPECT_EQ(state->identity.lineage, "x");
  EXPECT_EQ(state->terraform_version, "1.12.6");
  EXPECT_FALSE(read_plain_state("[]"));
}

}  // namespace
}  // namespace tofu::encryption
