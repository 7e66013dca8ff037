#include "install/provider_registry_reply.h"

#include <gmock/gmock.h>

namespace tofu::install {
namespace {

using ::testing::ElementsAre;

const std::string kSum(64, 'A');

TEST(ProviderRegistryReply, VersionsAndWarningsAreRead) {
  const auto offered = provider_versions_in(
      R"({"versions":[{"version":"1.0.0","protocols":["5.0"]},{"version":"2.0.0-beta1"}],
          "warnings":["deprecated"]})");
  ASSERT_TRUE(offered);
  EXPECT_EQ(offered->versions.size(), 2U);
  EXPECT_THAT(offered->warnings, ElementsAre("deprecated"));
}

TEST(ProviderRegistryReply, WhatIsNotAVersionIsAnError) {
  EXPECT_FALSE(provider_versions_in(R"({"versions":[{"version":"latest"}]})"));
  EXPECT_FALSE(provider_versions_in(R"({"versions":[{"version":"v1.0.0"}]})"));
  EXPECT_FALSE(provider_versions_in(R"({"versions":[{}]})"));
  EXPECT_FALSE(provider_versions_in("[]"));
  EXPECT_FALSE(provider_versions_in(""));
  EXPECT_TRUE(provider_versions_in("{}")->versions.empty());
}

TEST(ProviderRegistryReply, APackageHasItsAddressesChecksumsAndKeys) {
  const auto package = provider_package_in(
      R"({"protocols":["5.0"],"filename":"f.zip","download_url":"f.zip","shasum":")" + kSum +
      R"(","shasums_url":"sums","shasums_signature_url":"sig",
          "signing_keys":{"gpg_public_keys":[{"key_id":"K","ascii_armor":"armor"}]},
          "packages":{"linux_amd64":{"hashes":["zh:1","h1:2"],"package_size":12}}})");
  ASSERT_TRUE(package) << package.error().what;
  EXPECT_EQ(package->evidence.sha256, std::string(64, 'a'));
  EXPECT_THAT(package->evidence.keys, ElementsAre("armor"));
  EXPECT_EQ(package->evidence.packages.at("linux_amd64").size, 12);
  EXPECT_THAT(package->evidence.packages.at("linux_amd64").hashes, ElementsAre("zh:1", "h1:2"));
}

TEST(ProviderRegistryReply, APackageWithoutAChecksumOrAnAddressIsAnError) {
  EXPECT_FALSE(provider_package_in(R"({"filename":"f","download_url":"f"})"));
  EXPECT_FALSE(provider_package_in(R"({"filename":"f","shasum":")" + kSum + "\"}"));
  EXPECT_FALSE(provider_package_in(R"({"download_url":"f","shasum":")" + kSum + "\"}"));
  EXPECT_FALSE(provider_package_in(
      R"({"filename":"f","download_url":"f","packages":{"a_b":{"hashes":["x"]}},"shasum":")" +
      kSum + "\"}"));
}

TEST(ProviderRegistryReply, AMirrorListsVersionsAndArchives) {
  EXPECT_EQ(mirror_versions_in(R"({"versions":{"1.0.0":{},"not one":{}}})")->versions.size(), 1U);
  const auto archives =
      mirror_archives_in(R"({"archives":{"linux_amd64":{"url":"a.zip","hashes":["h1:x"]}}})");
  ASSERT_TRUE(archives);
  EXPECT_EQ(archives->at("linux_amd64").url, "a.zip");
  EXPECT_THAT(archives->at("linux_amd64").hashes, ElementsAre("h1:x"));
  EXPECT_FALSE(mirror_archives_in(R"({"archives":{"a_b":{"hashes":["nothing"]}}})"));
  EXPECT_FALSE(mirror_archives_in("7"));
}

}  // namespace
}  // namespace tofu::install
