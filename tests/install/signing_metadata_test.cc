#include "install/signing_metadata.h"

#include <gmock/gmock.h>

namespace tofu::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Platform kPlatform{"linux", "amd64"};
const std::string kSum(64, 'a');
const std::string kOther(64, 'b');

// What the default registry may say: it need not have keys.
SigningMetadata evidence() {
  return {.filename = "one.zip",
          .sha256 = kSum,
          .checksums = kSum + "  one.zip\n" + kOther + "  two.zip\n",
          .signature = {},
          .keys = {},
          .packages = {}};
}

std::string problem(const SigningMetadata& said, const SignaturePolicy& policy = {}) {
  const auto vouched = check_evidence(said, addrs::default_provider("null"), kPlatform, policy);
  return vouched ? "none" : vouched.error().what;
}

TEST(ProviderEvidence, TheDefaultRegistryVouchesForListedChecksums) {
  const auto vouched =
      check_evidence(evidence(), addrs::default_provider("null"), kPlatform, SignaturePolicy{});
  ASSERT_TRUE(vouched) << vouched.error().what;
  EXPECT_EQ(vouched->how, Authenticity::SigningSkipped);
  EXPECT_THAT(vouched->hashes, ElementsAre("zh:" + kSum, "zh:" + kOther));
}

TEST(ProviderEvidence, OtherRegistriesNeedASignature) {
  const addrs::Provider other{{"registry.example.com"}, "team", "one"};
  EXPECT_FALSE(check_evidence(evidence(), other, kPlatform, {}));
  EXPECT_THAT(problem(evidence(), {.always_required = true}), HasSubstr("no readable signing key"));
}

TEST(ProviderEvidence, ListsThatDoNotFitAreRefused) {
  SigningMetadata said = evidence();
  said.checksums = kOther + "  one.zip\n";
  EXPECT_THAT(problem(said), HasSubstr("another one for one.zip"));
  said.checksums = kOther + "  two.zip\n";
  EXPECT_THAT(problem(said), HasSubstr("lacks one.zip"));
  said.checksums = "one.zip\n";
  EXPECT_THAT(problem(said), HasSubstr("another form"));
}

TEST(ProviderEvidence, WhatIsSaidOfPlatformsHasToFit) {
  SigningMetadata said = evidence();
  said.packages["darwin_arm64"] = {{"zh:" + kOther}, 5};
  EXPECT_THAT(problem(said), HasSubstr("does not describe its package for linux_amd64"));
  said.packages["linux_amd64"] = {{"zh:" + kSum, "h1:x"}, 0};
  EXPECT_THAT(problem(said), HasSubstr("0 bytes"));
  said.packages["linux_amd64"] = {{"zh:" + kOther}, 5};
  EXPECT_THAT(problem(said), HasSubstr("two different checksums"));
  said.packages["linux_amd64"] = {{"h1:x"}, 5};
  EXPECT_THAT(problem(said), HasSubstr("lack that of the archive"));
  said.packages["linux_amd64"] = {{"zh:" + kSum, "h1:x", "h9:y"}, 5};
  const auto vouched =
      check_evidence(said, addrs::default_provider("null"), kPlatform, SignaturePolicy{});
  ASSERT_TRUE(vouched) << vouched.error().what;
  EXPECT_THAT(vouched->hashes, ElementsAre("h1:x", "zh:" + kSum, "zh:" + kOther));
}

}  // namespace
}  // namespace tofu::install
