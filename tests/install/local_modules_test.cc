// Modules by local paths, inside of packages and in copies of their own.
#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/install/workshop.h"

namespace tofu::install {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ModuleInstallerLocal : public Workshop {
 protected:
  void in(const std::string& package, const std::string& path, const std::string& text) const {
    write((top_ / package / path).string(), text);
  }
  std::string directory(const std::string& name) const {
    return "file://" + (top_ / name).string();
  }
  std::string shown(std::size_t diagnostic) const {
    return std::string(sources_.name(diags_.items()[diagnostic].subject->file));
  }
};

TEST_F(ModuleInstallerLocal, ModulesInsideOfAPackageAreFoundForEveryCall) {
  repository("net", call("child", "./modules/child"));
  in("net", "modules/child/main.tf", call("sibling", "../sibling"));
  in("net", "modules/sibling/main.tf", "");
  commit("net");
  write("main.tf",
        call("a", git("net")) + call("b", git("net")) + call("c", git("net") + "//modules/child"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("b.child"), ".terraform/modules/b/modules/child");
  EXPECT_EQ(installed("b.child.sibling"), ".terraform/modules/b/modules/sibling");
  EXPECT_EQ(installed("c.sibling"), ".terraform/modules/c/modules/sibling");
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/c/modules/sibling/main.tf"));
  EXPECT_THAT(fetched_, SizeIs(1));
}

TEST_F(ModuleInstallerLocal, AModuleThatChangesItselfFindsItsSiblingForEveryCall) {
  repository("net", call("own", "./own"));
  in("net", "own/main.tf", call("s", "../sibling"));
  in("net", "sibling/main.tf", "");
  metadata("net",
           "module \"top\" {\n  path = \".\"\n  read-only = { self = false }\n}\n"
           "module \"own\" {\n  path = \"own\"\n  read-only = { self = false }\n}\n");
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("b.own"), ".terraform/modules/b.own/own");
  EXPECT_EQ(installed("b.own.s"), ".terraform/modules/b.own/sibling");
  EXPECT_TRUE(std::filesystem::exists(".terraform/modules/b.own/sibling/main.tf"));
}

TEST_F(ModuleInstallerLocal, LinksInsideOfAPackageGiveWayToWhatTheyLeadTo) {
  repository("net", call("child", "./current"));
  in("net", "versions/2/main.tf", "");
  run("ln -s versions/2 " + (top_ / "net/current").string());
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("a.child"), ".terraform/modules/a/versions/2");
  EXPECT_EQ(installed("b.child"), ".terraform/modules/b/versions/2");
}

TEST_F(ModuleInstallerLocal, TheFirstCallOfADirectoryOnThisDiskSeesItAsItIs) {
  repository("net", call("child", "./child"));
  in("net", "child/main.tf", "");
  write("main.tf", call("a", directory("net")) + call("b", directory("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("a"), ".terraform/modules/a");
  EXPECT_EQ(installed("a.child"), (top_ / "net/child").string());
  EXPECT_EQ(installed("b.child"), ".terraform/modules/b/child");
  EXPECT_TRUE(is_link(".terraform/modules/a"));
  EXPECT_FALSE(is_link(".terraform/modules/b"));

  ASSERT_TRUE(init()) << problems();
  EXPECT_THAT(reported_, IsEmpty());
  EXPECT_THAT(fetched_, IsEmpty());
  EXPECT_EQ(package_count(), 0U);
}

TEST_F(ModuleInstallerLocal, ADirectoryOnThisDiskThatChangesItselfIsCopied) {
  repository("net");
  metadata("net", "module \"top\" {\n  path = \".\"\n  read-only = { self = false }\n}\n");
  write("main.tf", call("a", directory("net")));

  ASSERT_TRUE(init()) << problems();

  EXPECT_FALSE(is_link(".terraform/modules/a"));
}

TEST_F(ModuleInstallerLocal, AMistakeInAPackageIsShownInTheCopyOfEachCall) {
  repository("net", call("child", "./child"));
  in("net", "child/main.tf", "output \"a\" {\n  value = }\n");
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  EXPECT_FALSE(init());

  ASSERT_THAT(diags_.items(), SizeIs(2));
  EXPECT_EQ(shown(0), ".terraform/modules/a/child/main.tf");
  EXPECT_EQ(shown(1), ".terraform/modules/b/child/main.tf");
}

class LocalCopy : public ModuleInstallerLocal {
 protected:
  LocalCopy() {
    write("module-package.meta.hcl",
          "module \"h\" {\n  path = \"./modules/helper\"\n  read-only = { self = false }\n}\n");
  }
  // Of one copy, without directories.
  static std::vector<std::string> files(const std::string& call) {
    std::vector<std::string> found;
    const std::filesystem::path top = ".terraform/modules/" + call;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(top)) {
      if (!entry.is_directory()) found.push_back(entry.path().lexically_relative(top).string());
    }
    std::ranges::sort(found);
    return found;
  }
};

TEST_F(LocalCopy, HoldsWhatTheModuleReachesAndNothingElse) {
  write("modules/helper/main.tf", call("near", "../near"));
  write("modules/helper/templates/t.txt", "");
  write("modules/near/main.tf", call("far", "../../far"));
  write("far/main.tf", "");
  write("modules/beside/main.tf", "");
  write("node_modules/big.js", "");
  write("secret.auto.tfvars", "");
  write("main.tf", call("one", "./modules/helper"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(files("one"), ElementsAre("far/main.tf", "modules/helper/main.tf",
                                        "modules/helper/templates/t.txt", "modules/near/main.tf"));
  EXPECT_EQ(installed("one.near.far"), ".terraform/modules/one/far");

  ASSERT_TRUE(init()) << problems();
  EXPECT_THAT(reported_, IsEmpty());
}

TEST_F(LocalCopy, KeepsItsOwnFilesWhenADirectoryAroundThemIsAdded) {
  write("modules/helper/main.tf", call("inner", "./inner") + call("up", "../"));
  write("modules/helper/inner/main.tf", "");
  write("modules/main.tf", "");
  write("beside/main.tf", "");
  write("main.tf", call("one", "./modules/helper"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(files("one"), ElementsAre("modules/helper/inner/main.tf", "modules/helper/main.tf",
                                        "modules/main.tf"));
  EXPECT_EQ(installed("one.up"), ".terraform/modules/one/modules");
}

TEST_F(LocalCopy, CallsModulesOutsideOfTheRootWhereTheyAre) {
  in("shared", "main.tf", "");
  write("modules/helper/main.tf", call("shared", "../../../shared"));
  write("main.tf", call("one", "./modules/helper"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_EQ(installed("one.shared"), "../shared");
}

TEST_F(LocalCopy, UsesTheLibrariesOfItsOriginal) {
  write("modules/helper/main.tf", "symbols \"l\" {\n  source = \"../../libs/l\"\n}\n");
  write("libs/l/main.sym.hcl", "values {\n  one = 1\n}\n");
  write("main.tf", call("one", "./modules/helper"));

  ASSERT_TRUE(init()) << problems();

  EXPECT_THAT(libraries_, ElementsAre("libs/l"));
}

TEST_F(ModuleInstallerLocal, AModuleOfAPackageCannotReadLibrariesAroundThePackage) {
  write("lib/main.sym.hcl", "values {\n  secret = 1\n}\n");
  const std::string symbols = "symbols \"s\" {\n  source = \"../../../lib\"\n}\n";
  for (const bool is_shared : {false, true}) {
    repository("net", symbols);
    if (is_shared) metadata("net", "");
    commit("net");
    write("main.tf", call("a", git("net")) + call("b", git("net")));
    EXPECT_FALSE(init(true));
    EXPECT_THAT(problems(), HasSubstr("leads out of the package"));
    EXPECT_THAT(libraries_, IsEmpty());
  }
}

TEST_F(ModuleInstallerLocal, ALibraryOfAPackageCannotReadLibrariesAroundIt) {
  write("lib/main.sym.hcl", "values {\n  secret = 1\n}\n");
  in("libs", "outer/main.sym.hcl",
     "symbols \"inner\" {\n  source = \"../inner\"\n}\n"
     "symbols \"out\" {\n  source = \"../../../../lib\"\n}\n");
  in("libs", "inner/main.sym.hcl", "values {\n  one = 1\n}\n");
  commit("libs");
  write("main.tf", "symbols \"l\" {\n  source = \"" + git("libs") + "//outer\"\n}\n");

  EXPECT_FALSE(init());

  ASSERT_THAT(diags_.items(), SizeIs(1)) << problems();
  EXPECT_THAT(problems(), HasSubstr("leads out of the package"));
}

TEST_F(ModuleInstallerLocal, EveryCallOfAPackageFindsTheLibrariesInIt) {
  repository("net", call("child", "./child"));
  in("net", "child/main.tf", "symbols \"l\" {\n  source = \"../lib\"\n}\n");
  in("net", "lib/main.sym.hcl", "values {\n  one = 1\n}\n");
  commit("net");
  write("main.tf", call("a", git("net")) + call("b", git("net")));

  EXPECT_TRUE(init()) << problems();
}

}  // namespace
}  // namespace tofu::install
