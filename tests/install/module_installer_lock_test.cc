// What is installed while the lock file may not change.
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class ModuleInstallerLock : public Workshop {};

TEST_F(ModuleInstallerLock, ADirectoryInThePlaceOfALinkIsReplaced) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();

  for (const bool with_records : {true, false}) {
    std::filesystem::remove(".terraform/modules/a");
    write(".terraform/modules/a/main.tf", "output \"evil\" {\n  value = 1\n}\n");
    if (!with_records) records_ = {};
    ASSERT_TRUE(init_readonly()) << problems();
    EXPECT_TRUE(is_link(".terraform/modules/a"));
    EXPECT_THAT(read(".terraform/modules/a/main.tf"), Not(HasSubstr("evil")));
  }
}

TEST_F(ModuleInstallerLock, ACopyOfALockedPackageIsLeftAlone) {
  repository("net");
  write((top_ / "net/own/main.tf").string(), "");
  metadata("net", "module \"own\" {\n  path = \"own\"\n  read-only = { self = false }\n}\n");
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net") + "//own"));
  ASSERT_TRUE(init()) << problems();
  write(".terraform/modules/b/own/made.txt", "by b");

  ASSERT_TRUE(init_readonly()) << problems();

  EXPECT_EQ(read(".terraform/modules/b/own/made.txt"), "by b");
  EXPECT_THAT(fetched_, IsEmpty());
}

TEST_F(ModuleInstallerLock, WhatIsNotLockedIsRefusedBeforeItIsInstalled) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));

  EXPECT_FALSE(init_readonly());

  EXPECT_THAT(problems(), HasSubstr("Dependency lock file would change"));
  EXPECT_FALSE(std::filesystem::exists(".terraform/modules/a"));
  EXPECT_EQ(installed("a"), "not installed");
  EXPECT_EQ(package_count(), 0U);
}

TEST_F(ModuleInstallerLock, ALockWithoutAHashIsNotEnough) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  ModuleLock lock = lock_.modules()[0];
  lock.hashes.clear();
  lock_.set_module(lock);

  EXPECT_FALSE(init_readonly());

  EXPECT_THAT(problems(), HasSubstr("Dependency lock file would change"));
}

TEST_F(ModuleInstallerLock, ALibraryThatIsNotLockedIsRefused) {
  write((top_ / "lib/main.sym.hcl").string(), "values {\n  one = 1\n}\n");
  commit("lib");
  write("main.tf", "symbols \"l\" {\n  source = \"" + git("lib") + "\"\n}\n");

  EXPECT_FALSE(init_readonly());
  EXPECT_THAT(problems(), HasSubstr("Dependency lock file would change"));
  EXPECT_EQ(package_count(), 0U);

  ASSERT_TRUE(init()) << problems();
  EXPECT_TRUE(init_readonly()) << problems();
}

TEST_F(ModuleInstallerLock, RefusalsLeaveNothingBehind) {
  repository("net");
  metadata("net", "module \"top\" {\n  path = \".\"\n  instances = \"single\"\n}\n");
  commit("net");
  for (const std::string& main :
       {call("a", git("net") + "//nowhere"), call("a", git("net"), "  count = 2\n")}) {
    write("main.tf", main);
    EXPECT_FALSE(init());
    for (const auto& entry : std::filesystem::directory_iterator(".terraform/packages")) {
      EXPECT_THAT(entry.path().filename().string(), Not(::testing::StartsWith(".new-")));
    }
  }
}

}  // namespace
}  // namespace tofu::install
