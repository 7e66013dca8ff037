#include "addrs/version.h"

#include <gtest/gtest.h>

namespace tofu::addrs {
namespace {

Version version(std::string_view text) {
  auto parsed = Version::parse(text);
  EXPECT_TRUE(parsed) << text;
  return parsed ? *parsed : Version(0, 0, 0);
}

TEST(Version, MissingNumbersAreZero) {
  EXPECT_EQ(version("1.2"), version("1.2.0"));
  EXPECT_EQ(version("v3"), version("3.0.0"));
}

TEST(Version, MetadataDoesNotCount) { EXPECT_EQ(version("1.0.0+a"), version("1.0.0+b")); }

TEST(Version, OrdersPreReleasesBeforeTheirReleaseAndByTheirParts) {
  const char* ordered[] = {"0.9",         "1.0.0-1",       "1.0.0-2",    "1.0.0-10",
                           "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-beta", "1.0.0"};
  for (std::size_t i = 1; i < std::size(ordered); ++i) {
    EXPECT_LT(version(ordered[i - 1]), version(ordered[i])) << ordered[i];
  }
}

TEST(Version, KnowsTheStrictSpellingOfProviders) {
  for (const char* strict : {"1", "1.2", "1.2.3", "1.2.3-beta.1+x"}) {
    EXPECT_TRUE(version(strict).is_strict()) << strict;
  }
  for (const char* loose : {"v1.2.3", "1.2.3.4", "1.2.3beta"}) {
    EXPECT_FALSE(version(loose).is_strict()) << loose;
  }
}

TEST(Version, RefusesWhatIsNoVersion) {
  for (const char* text : {"", "x", "1.x", "1..2", "-1", "1.2.3-", "99999999999999999999"}) {
    EXPECT_FALSE(Version::parse(text)) << text;
  }
}

struct Case {
  const char* constraint;
  const char* version;
  bool allowed;
};

TEST(Constraints, AllowWhatTheirOperatorsSay) {
  const Case cases[] = {
      {"1.2.3", "1.2.3", true},          {"= 1.2.3", "1.2.4", false},
      {"!= 1.2.3", "1.2.4", true},       {"!= 1.2.3", "1.2.3", false},
      {"> 1.0", "1.0.0", false},         {"> 1.0", "1.0.1", true},
      {">= 1.0", "1.0.0", true},         {"< 2.0", "1.99.0", true},
      {"< 2.0", "2.0.0", false},         {"<= 2.0", "2.0.0", true},
      {"~> 1.2", "1.9.0", true},         {"~> 1.2", "2.0.0", false},
      {"~> 1.2", "1.1.0", false},        {"~> 1.2.3", "1.2.9", true},
      {"~> 1.2.3", "1.3.0", false},      {">= 1.2, < 2.0", "1.5.0", true},
      {">= 1.2, < 2.0", "2.1.0", false}, {">=1.2,<2", "1.2.0", true},
  };
  for (const Case& each : cases) {
    const auto constraints = Constraints::parse(each.constraint);
    ASSERT_TRUE(constraints) << each.constraint;
    EXPECT_EQ(constraints->allows(version(each.version)), each.allowed)
        << each.constraint << " and " << each.version;
  }
}

TEST(Constraints, OnlyAnExactOrSameCorePreReleaseAllowsAPreRelease) {
  const Case cases[] = {
      {">= 1.0", "1.1.0-beta", false},         {">= 1.1.0-alpha", "1.1.0-beta", true},
      {">= 1.1.0-alpha", "1.2.0-beta", false}, {"1.1.0-beta", "1.1.0-beta", true},
      {"~> 1.1.0-alpha", "1.1.0-beta", true},  {"< 2.0", "1.0.0-rc1", false},
  };
  for (const Case& each : cases) {
    const auto constraints = Constraints::parse(each.constraint);
    ASSERT_TRUE(constraints) << each.constraint;
    EXPECT_EQ(constraints->allows(version(each.version)), each.allowed)
        << each.constraint << " and " << each.version;
  }
}

TEST(Constraints, RefuseWhatIsNoConstraint) {
  for (const char* text : {"", ">=", "1.0,", "=> 1.0", "nonsense", "> 1 2"}) {
    EXPECT_FALSE(Constraints::parse(text)) << text;
  }
}

TEST(Constraints, AreShownAsTheyWereMeant) {
  const auto constraints = Constraints::parse(">=1.2,  ~>1.2.0-beta1");
  ASSERT_TRUE(constraints);
  EXPECT_EQ(constraints->to_string(), ">= 1.2, ~> 1.2.0-beta1");
}

}  // namespace
}  // namespace tofu::addrs
