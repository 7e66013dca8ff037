#include "install/module_paths.h"

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

class ModulePaths : public Workshop {};

TEST_F(ModulePaths, APathWithoutLinksStaysAsItIsWritten) {
  write("a/b/main.tf", "");
  EXPECT_EQ(without_links("a/b"), "a/b");
  EXPECT_EQ(without_links("./a/./b"), "a/b");
  EXPECT_EQ(without_links("../work/a"), "../work/a");
  EXPECT_EQ(without_links("."), ".");
  EXPECT_EQ(without_links((top_ / "work/a").string()), (top_ / "work/a").string());
}

TEST_F(ModulePaths, LinksGiveWayToWhatTheyLeadTo) {
  write("versions/2/main.tf", "");
  write("deep/down/main.tf", "");
  std::filesystem::create_directory_symlink("versions/2", "current");
  std::filesystem::create_directory_symlink("../current", "deep/again");
  std::filesystem::create_directory_symlink(top_ / "work/versions", "absolute");
  EXPECT_EQ(without_links("current"), "versions/2");
  EXPECT_EQ(without_links("deep/again"), "versions/2");
  EXPECT_EQ(without_links("absolute/2"), (top_ / "work/versions/2").string());
}

TEST_F(ModulePaths, WhatIsNotThereOrGoesRoundInCirclesHasNoPath) {
  std::filesystem::create_directory_symlink("b", "a");
  std::filesystem::create_directory_symlink("a", "b");
  EXPECT_EQ(without_links("nowhere"), std::nullopt);
  EXPECT_EQ(without_links("a"), std::nullopt);
}

TEST_F(ModulePaths, ADirectoryIsNotBelowOneWhoseNameOnlyBeginsItsOwn) {
  EXPECT_TRUE(is_at_or_below("a/b", "a"));
  EXPECT_TRUE(is_at_or_below("a", "a"));
  EXPECT_TRUE(is_at_or_below("a", "."));
  EXPECT_FALSE(is_at_or_below("ab", "a"));
  EXPECT_FALSE(is_at_or_below("a", "a/b"));
}

}  // namespace
}  // namespace tofu::install
