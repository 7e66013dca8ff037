#include "install/provider_versions.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::install {
namespace {

std::vector<addrs::Constraint> constraints(std::string_view text) {
  if (text.empty()) return {};
  return addrs::Constraints::parse(text)->all();
}

bool allows(std::string_view text, std::string_view version) {
  return allows_provider(constraints(text), *addrs::Version::parse(version));
}

std::string newest(std::string_view text, const std::vector<std::string>& offered) {
  std::vector<addrs::Version> versions;
  for (const std::string& each : offered) versions.push_back(*addrs::Version::parse(each));
  const auto found = newest_allowed(versions, constraints(text));
  return found ? found->to_string() : "none";
}

TEST(ProviderVersions, TheNewestThatAllConstraintsAllowIsTaken) {
  const std::vector<std::string> offered = {"1.2.0", "1.10.0", "1.9.3", "2.0.0"};
  EXPECT_EQ(newest("~> 1.2", offered), "1.10.0");
  EXPECT_EQ(newest("~> 1.9.0", offered), "1.9.3");
  EXPECT_EQ(newest(">= 1.3, != 2.0.0, < 1.10", offered), "1.9.3");
  EXPECT_EQ(newest("> 2", offered), "none");
  EXPECT_EQ(newest("= 1.2.0", offered), "1.2.0");
  EXPECT_EQ(newest("<= 1.9.3", offered), "1.9.3");
}

TEST(ProviderVersions, APrereleaseIsTakenOnlyIfItIsNamed) {
  EXPECT_EQ(newest(">= 1.0", {"1.0.0", "1.1.0-beta1"}), "1.0.0");
  EXPECT_EQ(newest(">= 1.1.0-beta1", {"1.1.0-beta1"}), "none");
  EXPECT_EQ(newest("1.1.0-beta1", {"1.0.0", "1.1.0-beta1"}), "1.1.0-beta1");
  // Another module's constraint compares by precedence alone.
  EXPECT_TRUE(allows(">= 1.0, 1.1.0-beta1", "1.1.0-beta1"));
  EXPECT_FALSE(allows(">= 1.1, 1.1.0-beta1", "1.1.0-beta1"));
}

TEST(ProviderVersions, TheUnpublishedVersionIsNeverTaken) {
  EXPECT_EQ(newest("", {"0.0.0"}), "none");
  EXPECT_EQ(newest("0.0.0", {"0.0.0"}), "none");
}

TEST(ProviderVersions, OnlyTheNormalFormIsAVersion) {
  EXPECT_TRUE(parse_provider_version("1.2.3"));
  EXPECT_TRUE(parse_provider_version("1.2.3-beta.1+build"));
  for (const char* text : {"v1.2.3", "1.2", "01.2.3", "1.2.3.4", "latest", "", "../1.0.0"}) {
    EXPECT_FALSE(parse_provider_version(text)) << text;
  }
}

}  // namespace
}  // namespace tofu::install
