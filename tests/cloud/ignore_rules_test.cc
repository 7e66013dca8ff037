#include "cloud/ignore_rules.h"

#include <gtest/gtest.h>

namespace tofu::cloud {
namespace {

bool excludes(const IgnoreRules& rules, std::string_view path) {
  return rules.check(path).is_excluded;
}

TEST(IgnoreRules, OfTheDataOfThisProgramOnlyModulesAreTaken) {
  const auto rules = IgnoreRules::read("");
  ASSERT_TRUE(rules.ok());
  EXPECT_TRUE(excludes(*rules, ".git/config"));
  EXPECT_TRUE(excludes(*rules, "sub/.git/config"));
  EXPECT_TRUE(excludes(*rules, ".terraform/providers/x"));
  EXPECT_TRUE(excludes(*rules, ".terraform/terraform.tfstate"));
  EXPECT_FALSE(excludes(*rules, ".terraform/modules/a/main.tf"));
  EXPECT_FALSE(excludes(*rules, ".terraform/packages/a/main.tf"));
  EXPECT_FALSE(excludes(*rules, "main.tf"));
  EXPECT_FALSE(excludes(*rules, ".gitignore"));
}

TEST(IgnoreRules, PatternsAreThoseOfTheFile) {
  const auto rules = IgnoreRules::read(
      "# a comment\n\n  *.log  \n/top.txt\nlogs/\nkept/**\n!kept/this.txt\na?c\nb\\*d\nx.y\n");
  ASSERT_TRUE(rules.ok());
  EXPECT_TRUE(excludes(*rules, "a.log"));
  EXPECT_TRUE(excludes(*rules, "deep/er/a.log"));
  EXPECT_FALSE(excludes(*rules, "a.logs"));
  EXPECT_TRUE(excludes(*rules, "top.txt"));
  EXPECT_FALSE(excludes(*rules, "sub/top.txt"));
  EXPECT_TRUE(excludes(*rules, "sub/logs/x"));
  EXPECT_FALSE(excludes(*rules, "logs"));
  EXPECT_TRUE(excludes(*rules, "kept/other.txt"));
  EXPECT_FALSE(excludes(*rules, "kept/this.txt"));
  EXPECT_TRUE(excludes(*rules, "abc"));
  EXPECT_FALSE(excludes(*rules, "a/c"));
  EXPECT_TRUE(excludes(*rules, "b*d"));
  EXPECT_FALSE(excludes(*rules, "bxd"));
  EXPECT_FALSE(excludes(*rules, "xzy"));
}

TEST(IgnoreRules, ADirectoryThatNoLaterRuleTakesBackIsLeftAsAWhole) {
  const auto rules = IgnoreRules::read("one/\n!one/keep\ntwo/\n");
  ASSERT_TRUE(rules.ok());
  EXPECT_FALSE(rules->check("one/").is_final);
  EXPECT_TRUE(rules->check("two/").is_final);
}

TEST(IgnoreRules, APatternThatCannotBeReadIsAnError) {
  EXPECT_FALSE(IgnoreRules::read("[z-a]\n").ok());
}

}  // namespace
}  // namespace tofu::cloud
