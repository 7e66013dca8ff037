#include "install/module_installer.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ModuleInstallerTest : public Workshop {};

TEST_F(ModuleInstallerTest, APackageThatSaysNothingIsFetchedOnceAndCopied) {
  repository("net");
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(fetched_, SizeIs(1));
  EXPECT_FALSE(is_link(".terraform/modules/a"));
  EXPECT_FALSE(is_link(".terraform/modules/b"));
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/b/main.tf"));
  EXPECT_EQ(installed("a"), ".terraform/modules/a");
  EXPECT_EQ(package_count(), 0U);
  EXPECT_THAT(lock_.modules(), IsEmpty());
}

TEST_F(ModuleInstallerTest, AnEmptyFileOfMetadataMakesCallsShareOnePackage) {
  repository("net");
  metadata("net", "");
  const std::string head = commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(fetched_, SizeIs(1));
  EXPECT_TRUE(is_link(".terraform/modules/a"));
  EXPECT_TRUE(is_link(".terraform/modules/b"));
  EXPECT_EQ(installed("a"), ".terraform/modules/a");
  EXPECT_EQ(package_count(), 1U);
  ASSERT_THAT(lock_.modules(), SizeIs(1));
  EXPECT_EQ(lock_.modules()[0].label, git("net"));
  EXPECT_EQ(lock_.modules()[0].version, head);
  const auto file = std::filesystem::status(".terraform/modules/a/main.tf");
  EXPECT_EQ(file.permissions() & std::filesystem::perms::owner_write, std::filesystem::perms::none);
  EXPECT_EQ(summary_.shared, 1U);
  EXPECT_EQ(summary_.sharing_calls, 2U);
}

TEST_F(ModuleInstallerTest, ASecondRunTouchesNothing) {
  repository("net");
  metadata("net", "");
  commit("net");
  repository("plain");
  commit("plain");
  write("main.tf", call("a", git("net")) + call("b", git("plain")));
  ASSERT_TRUE(init()) << problems();
  const auto link = std::filesystem::last_write_time(".terraform/modules");
  const auto copy = std::filesystem::last_write_time(".terraform/modules/b");

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(fetched_, IsEmpty());
  EXPECT_THAT(reported_, IsEmpty());
  EXPECT_EQ(std::filesystem::last_write_time(".terraform/modules"), link);
  EXPECT_EQ(std::filesystem::last_write_time(".terraform/modules/b"), copy);
}

TEST_F(ModuleInstallerTest, AModuleThatChangesItselfGetsACopyForEachCall) {
  repository("net");
  write((top_ / "net/modules/own/main.tf").string(), "");
  metadata("net",
           "module \"own\" {\n  path = \"./modules/own\"\n  read-only = { self = false }\n}\n");
  commit("net");
  write("main.tf", call("top", git("net")) + call("a", git("net") + "//modules/own") +
                       call("b", git("net") + "//modules/own"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(fetched_, SizeIs(1));
  EXPECT_TRUE(is_link(".terraform/modules/top"));
  EXPECT_FALSE(is_link(".terraform/modules/a"));
  EXPECT_FALSE(is_link(".terraform/modules/b"));
  EXPECT_EQ(installed("a"), ".terraform/modules/a/modules/own");
  write(".terraform/modules/a/modules/own/made.txt", "by a");
  EXPECT_FALSE(std::filesystem::exists(".terraform/modules/b/modules/own/made.txt"));
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/a/main.tf")) << "the whole package";
}

TEST_F(ModuleInstallerTest, WhatACallerSaysCountsForPackagesThatSayNothing) {
  repository("leaf");
  commit("leaf");
  repository("middle", call("leaf", git("leaf")));
  commit("middle");
  repository("sharing", call("middle", git("middle")));
  metadata("sharing", "");
  commit("sharing");
  repository("careful", call("middle", git("middle")));
  metadata("careful",
           "module \"top\" {\n  path = \".\"\n  read-only = { dependencies = false }\n}\n");
  commit("careful");
  write("main.tf", call("s", git("sharing")) + call("c", git("careful")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_TRUE(is_link(".terraform/modules/s.middle"));
  EXPECT_TRUE(is_link(".terraform/modules/s.middle.leaf"));
  EXPECT_TRUE(is_link(".terraform/modules/c"));
  EXPECT_FALSE(is_link(".terraform/modules/c.middle"));
  EXPECT_FALSE(is_link(".terraform/modules/c.middle.leaf"));
  EXPECT_THAT(fetched_, SizeIs(4));
  EXPECT_EQ(records_.call("s.middle.leaf")->decided_by,
            "module-package.meta.hcl of " + git("sharing"));
}

TEST_F(ModuleInstallerTest, TheRootsFileSpeaksForItsDependencies) {
  repository("net");
  commit("net");
  write("main.tf", call("a", git("net")));
  write("module-package.meta.hcl", "");

  ASSERT_TRUE(init()) << problems();

  EXPECT_TRUE(is_link(".terraform/modules/a"));
}

TEST_F(ModuleInstallerTest, SayingSoLaterTurnsCopiesIntoLinks) {
  repository("net");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  EXPECT_FALSE(is_link(".terraform/modules/a"));

  write("module-package.meta.hcl", "");
  ASSERT_TRUE(init()) << problems();
  EXPECT_TRUE(is_link(".terraform/modules/a"));

  std::filesystem::remove("module-package.meta.hcl");
  ASSERT_TRUE(init()) << problems();
  EXPECT_FALSE(is_link(".terraform/modules/a"));
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/a/main.tf"));
  EXPECT_EQ(package_count(), 0U) << "nobody shares it any more";
}

TEST_F(ModuleInstallerTest, ALocalHelperThatChangesItselfGetsADirectoryForEachCall) {
  write("helpers/helper/main.tf", call("s", "../sibling"));
  write("helpers/sibling/main.tf", "");
  write("module-package.meta.hcl",
        "module \"h\" {\n  path = \"./helpers/helper\"\n  read-only = { self = false }\n}\n");
  write("terraform.tfstate", "secret");
  write("main.tf", call("one", "./helpers/helper") + call("two", "./helpers/helper") +
                       call("three", "./helpers/sibling"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("one"), ".terraform/modules/one/helpers/helper");
  EXPECT_EQ(installed("two"), ".terraform/modules/two/helpers/helper");
  EXPECT_EQ(installed("one.s"), ".terraform/modules/one/helpers/sibling");
  EXPECT_EQ(installed("three"), "helpers/sibling");
  EXPECT_FALSE(std::filesystem::exists(".terraform/modules/one/terraform.tfstate"));
}

TEST_F(ModuleInstallerTest, ACopyOfALocalModuleFollowsTheOriginal) {
  write("helper/main.tf", "");
  write("module-package.meta.hcl",
        "module \"h\" {\n  path = \"helper\"\n  read-only = { self = false }\n}\n");
  write("main.tf", call("one", "./helper"));
  ASSERT_TRUE(init()) << problems();
  write(".terraform/modules/one/helper/made.txt", "");
  ASSERT_TRUE(init()) << problems();
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/one/helper/made.txt"));

  write("helper/main.tf", "output \"new\" {\n  value = 1\n}\n");
  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(read(".terraform/modules/one/helper/main.tf"), HasSubstr("new"));
}

TEST_F(ModuleInstallerTest, ACopyAlsoFollowsTheModulesThatItCalls) {
  write("helper/main.tf", call("inner", "../plain"));
  write("plain/main.tf", "");
  write("module-package.meta.hcl",
        "module \"h\" {\n  path = \"helper\"\n  read-only = { self = false }\n}\n");
  write("main.tf", call("one", "./helper"));
  ASSERT_TRUE(init()) << problems();

  write("plain/main.tf", "output \"new\" {\n  value = 1\n}\n");
  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(read(".terraform/modules/one/plain/main.tf"), HasSubstr("new"));
}

TEST_F(ModuleInstallerTest, ManyInstancesOfAModuleThatChangesItselfDrawAWarning) {
  repository("net");
  metadata("net", "module \"top\" {\n  path = \".\"\n  read-only = { self = false }\n}\n");
  commit("net");
  repository("outer", call("inner", git("net")));
  commit("outer");
  write("main.tf", call("top", git("outer"), "  count = 5\n"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(problems(), HasSubstr("module.top.module.inner is called below module.top"));
}

TEST_F(ModuleInstallerTest, AnAuthorCanRefuseManyInstances) {
  repository("net");
  metadata("net", "module \"top\" {\n  path = \".\"\n  instances = \"single\"\n}\n");
  commit("net");
  write("main.tf", call("top", git("net"), "  for_each = toset([\"a\"])\n"));

  EXPECT_FALSE(init());

  EXPECT_THAT(problems(), HasSubstr("Module allows only one instance"));
}

TEST_F(ModuleInstallerTest, TheLockedCommitIsInstalledEvenIfTheBranchMovesOn) {
  repository("net");
  metadata("net", "");
  const std::string first = commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  write((top_ / "net/main.tf").string(), "# newer\n");
  const std::string second = commit("net");

  run("rm -rf .terraform");
  manifest_ = {};
  records_ = {};
  ASSERT_TRUE(init()) << problems();
  EXPECT_EQ(lock_.modules().at(0).version, first);
  EXPECT_THAT(read(".terraform/modules/a/main.tf"), HasSubstr("output"));

  ASSERT_TRUE(init(true)) << problems();
  EXPECT_EQ(lock_.modules().at(0).version, second);
  EXPECT_THAT(read(".terraform/modules/a/main.tf"), HasSubstr("newer"));
  EXPECT_EQ(package_count(), 1U);
}

TEST_F(ModuleInstallerTest, APackageThatDiffersFromTheLockIsRefused) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  ModuleLock changed = lock_.modules().at(0);
  const std::string actual = changed.hashes.at(0);
  changed.hashes = {"h1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="};
  lock_.set_module(changed);

  EXPECT_FALSE(init());

  EXPECT_THAT(problems(), HasSubstr("Package differs from the lock"));
  EXPECT_THAT(problems(), HasSubstr(actual));
  EXPECT_THAT(problems(), HasSubstr(changed.hashes[0]));
  EXPECT_THAT(problems(), HasSubstr("-upgrade"));
}

TEST_F(ModuleInstallerTest, APackageThatWasChangedOnDiskIsRepaired) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  std::filesystem::permissions(".terraform/modules/a/main.tf", std::filesystem::perms::owner_all);
  write(".terraform/modules/a/main.tf", "# changed by somebody\n");

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(repaired_, 1U);
  EXPECT_THAT(read(".terraform/modules/a/main.tf"), HasSubstr("output"));
}

TEST_F(ModuleInstallerTest, PackagesThatNobodyUsesAreRemoved) {
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  EXPECT_EQ(package_count(), 1U);

  write("main.tf", "");
  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(package_count(), 0U);
  EXPECT_FALSE(is_link(".terraform/modules/a"));
  EXPECT_EQ(installed("a"), "not installed");
  EXPECT_THAT(lock_.modules(), IsEmpty());
}

TEST_F(ModuleInstallerTest, WhatAKilledRunLeftIsCleanedUp) {
  write(".terraform/packages/.new-0/half/main.tf", "");
  write(".terraform/modules/a/old.tf", "not = known {");
  repository("net");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_FALSE(std::filesystem::exists(".terraform/packages/.new-0"));
  EXPECT_TRUE(is_link(".terraform/modules/a"));
}

TEST_F(ModuleInstallerTest, AnInterruptionIsToldOnce) {
  repository("one");
  commit("one");
  repository("two");
  commit("two");
  write("main.tf", call("a", git("one")) + call("b", git("two")));
  stop_.request_stop();

  EXPECT_FALSE(init());

  EXPECT_THAT(diags_.items(), SizeIs(1));
  EXPECT_THAT(problems(), HasSubstr("Module installation was interrupted"));
  stop_ = {};
  EXPECT_TRUE(init()) << problems();
}

TEST_F(ModuleInstallerTest, LinksThatSomebodyPlacedAreNotFollowed) {
  std::filesystem::create_directories(top_ / "elsewhere");
  write((top_ / "elsewhere/keep.txt").string(), "");
  std::filesystem::create_directories(".terraform/modules");
  std::filesystem::create_directory_symlink(top_ / "elsewhere", ".terraform/modules/a");
  repository("net");
  commit("net");
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  EXPECT_TRUE(std::filesystem::exists(top_ / "elsewhere/keep.txt"));
  EXPECT_FALSE(std::filesystem::exists(top_ / "elsewhere/main.tf"));
  EXPECT_FALSE(is_link(".terraform/modules/a"));

  run("rm -rf .terraform && mkdir .terraform && ln -s ../../elsewhere .terraform/packages");
  manifest_ = {};
  EXPECT_FALSE(init());
  EXPECT_THAT(problems(), HasSubstr("is a link"));
}

TEST_F(ModuleInstallerTest, MistakesInASharedModuleAreShownWhereTheCallSeesIt) {
  repository("net", "output \"y\" {}\n");
  metadata("net", "");
  commit("net");
  write("main.tf", call("a", git("net")));

  EXPECT_FALSE(init());

  ASSERT_THAT(diags_.items(), SizeIs(1));
  EXPECT_EQ(sources_.name(diags_.items()[0].subject->file), ".terraform/modules/a/main.tf");
}

TEST_F(ModuleInstallerTest, APackageCannotCallWhatIsAroundIt) {
  repository("net", call("out", "../../.."));
  commit("net");
  write("main.tf", call("a", git("net")));

  EXPECT_FALSE(init());

  EXPECT_THAT(problems(), HasSubstr("outside of the package"));
}

TEST_F(ModuleInstallerTest, AMissingSubdirectoryIsNamed) {
  repository("net");
  commit("net");
  write("main.tf", call("a", git("net") + "//modules/nowhere"));

  EXPECT_FALSE(init());

  EXPECT_THAT(problems(), HasSubstr("modules/nowhere"));
}

TEST_F(ModuleInstallerTest, WorkingDirectoriesShareACache) {
  repository("net");
  metadata("net", "");
  commit("net");
  cache_ = (top_ / "cache").string();
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  const auto first = std::filesystem::canonical(".terraform/modules/a");
  EXPECT_THAT(first.string(), ::testing::StartsWith(cache_));

  run("rm -rf .terraform");
  manifest_ = {};
  records_ = {};
  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(fetched_, IsEmpty()) << "the lock says which content it is";
  EXPECT_EQ(std::filesystem::canonical(".terraform/modules/a"), first);
}

TEST_F(ModuleInstallerTest, ADamagedPackageInTheCacheIsReplaced) {
  repository("net");
  metadata("net", "");
  commit("net");
  cache_ = (top_ / "cache").string();
  write("main.tf", call("a", git("net")));
  ASSERT_TRUE(init()) << problems();
  const std::string file = std::filesystem::canonical(".terraform/modules/a/main.tf").string();
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  write(file, "# changed by somebody\n");

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(read(".terraform/modules/a/main.tf"), HasSubstr("output"));
}

TEST_F(ModuleInstallerTest, OneRepositoryAtTwoRefsIsTwoPackages) {
  repository("net");
  metadata("net", "");
  commit("net");
  run("git -C ../net tag v1");
  write((top_ / "net/main.tf").string(), "# newer\n");
  commit("net");
  write("main.tf", call("a", git("net") + "?ref=v1") + call("b", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(package_count(), 2U);
  EXPECT_THAT(lock_.modules(), SizeIs(2));
  EXPECT_THAT(read(".terraform/modules/a/main.tf"), HasSubstr("output"));
  EXPECT_THAT(read(".terraform/modules/b/main.tf"), HasSubstr("newer"));
}

}  // namespace
}  // namespace tofu::install
