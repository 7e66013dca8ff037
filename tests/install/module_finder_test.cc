#include "install/module_finder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "archive/tree_hash.h"

namespace tofu::install {
namespace {

// Sources are relative to the working directory, so each test has its own.
class ModuleFinderTest : public ::testing::Test {
 protected:
  ModuleFinderTest() : before_(std::filesystem::current_path()) {
    char pattern[] = "/tmp/modules-XXXXXX";
    directory_ = ::mkdtemp(pattern);
    std::filesystem::current_path(directory_);
  }
  ~ModuleFinderTest() override {
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(directory_);
  }

  static void make(const std::string& module) {
    std::filesystem::create_directories(module);
    std::ofstream(module + "/main.tf") << "output \"x\" {\n  value = 1\n}\n";
  }

  static config::ModuleRequest request(const std::string& name, const std::string& source) {
    config::ModuleRequest out;
    out.path = {{name}};
    out.source = addrs::LocalSource{source};
    out.parent_directory.push_back('.');
    return out;
  }

  std::string installed(const config::ModuleRequest& request) {
    InstalledModules modules(manifest_, records_, ".terraform", sources_);
    diag::Diagnostics diags;
    const auto found = modules.find(request, diags);
    std::string text = found ? found->directory : "nothing";
    for (const diag::Diagnostic& each : diags.items()) text += "; " + each.summary;
    return text;
  }

  std::filesystem::path before_;
  std::string directory_;
  diag::SourceMap sources_;
  Manifest manifest_;
  PackageRecords records_;
};

TEST_F(ModuleFinderTest, WhatIsInstalledIsFoundAgain) {
  make("a");
  EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed");
  manifest_.set({{"a"}}, {"./a", "", "a"});
  EXPECT_EQ(installed(request("a", "./a")), "a");
}

TEST_F(ModuleFinderTest, DifferencesFromTheRecordAreReported) {
  make("a");
  manifest_.set({{"a"}}, {"./a", "", "a"});
  EXPECT_EQ(installed(request("a", "./b")), "a; Module source has changed");
  config::ModuleRequest versioned = request("a", "./a");
  versioned.version = *addrs::Constraints::parse(">= 1.0");
  EXPECT_EQ(installed(versioned), "a; Module version has changed");
  std::filesystem::remove_all("a");
  EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed");
}

TEST_F(ModuleFinderTest, AModuleIsOnlyWhereItsSourceLeads) {
  make("a");
  make("b");
  make(".terraform/modules/a");
  const std::string outside = std::filesystem::temp_directory_path().string();
  for (const std::string& place :
       {std::string("b"), outside, std::string("/etc"), std::string("../"), std::string(".")}) {
    manifest_.set({{"a"}}, {"./a", "", place});
    EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed") << place;
  }
  for (const std::string& place :
       {std::string("a"), std::string("./a/"), std::string(".terraform/modules/a")}) {
    manifest_.set({{"a"}}, {"./a", "", place});
    EXPECT_EQ(installed(request("a", "./a")), place);
  }
  config::ModuleRequest remote = request("a", "./a");
  remote.source = *addrs::parse_module_source("git::https://example.com/a.git");
  const std::string source = addrs::to_string(*remote.source);
  for (const std::string& place : {std::string("b"), std::string("/etc"), std::string("."),
                                   std::string(".terraform/modules/../../b")}) {
    manifest_.set({{"a"}}, {source, "", place});
    EXPECT_EQ(installed(remote), "nothing; Module not installed") << place;
  }
  manifest_.set({{"a"}}, {source, "", ".terraform/modules/a"});
  EXPECT_EQ(installed(remote), ".terraform/modules/a");
}

TEST_F(ModuleFinderTest, ADirectoryThatLeadsToOtherFilesIsReported) {
  make(".terraform/packages/net-1");
  make("elsewhere");
  make(".terraform/modules/c");
  std::ofstream("elsewhere/main.tf") << "# other\n";
  std::filesystem::create_directory_symlink("../../elsewhere", ".terraform/modules/a");
  std::filesystem::create_directory_symlink("../../elsewhere", ".terraform/modules/b");
  manifest_.set({{"a"}}, {"./net", "", ".terraform/modules/a"});
  manifest_.set({{"b"}}, {"./net", "", ".terraform/modules/b"});
  records_.set_package("net-1",
                       {.label = "net", .hash = *archive::hash_tree(".terraform/packages/net-1")});
  records_.calls["a"] = {.package = "net-1", .label = "net", .placement = Placement::Shared};
  records_.calls["b"] = {.package = "net-1", .label = "net", .placement = Placement::Own};
  EXPECT_EQ(installed(request("a", "./net")), ".terraform/modules/a; Module has changed");
  EXPECT_EQ(installed(request("b", "./net")), ".terraform/modules/b; Module has changed");

  // A copy of the working directory may have directories where links were.
  manifest_.set({{"c"}}, {"./net", "", ".terraform/modules/c"});
  records_.calls["c"] = {.package = "net-1", .label = "net", .placement = Placement::Shared};
  EXPECT_EQ(installed(request("c", "./net")), ".terraform/modules/c");
  std::ofstream(".terraform/modules/c/main.tf") << "# other\n";
  EXPECT_EQ(installed(request("c", "./net")), ".terraform/modules/c; Module has changed");
}

TEST_F(ModuleFinderTest, AnEditedSharedPackageIsReported) {
  make(".terraform/packages/net-1");
  std::filesystem::create_directories(".terraform/modules");
  std::filesystem::create_directory_symlink("../packages/net-1", ".terraform/modules/a");
  manifest_.set({{"a"}}, {"./net", "", ".terraform/modules/a"});
  records_.set_package("net-1",
                       {.label = "net", .hash = *archive::hash_tree(".terraform/packages/net-1")});
  records_.calls["a"] = {.package = "net-1", .label = "net", .placement = Placement::Shared};
  EXPECT_EQ(installed(request("a", "./net")), ".terraform/modules/a");
  std::ofstream(".terraform/packages/net-1/main.tf") << "# edited\n";
  EXPECT_EQ(installed(request("a", "./net")), ".terraform/modules/a; Module has changed");
}

TEST_F(ModuleFinderTest, ALibraryIsOnlyInItsUneditedPackage) {
  make(".terraform/packages/lib-1");
  make("elsewhere");
  records_.set_package("lib-1",
                       {.label = "lib", .hash = *archive::hash_tree(".terraform/packages/lib-1")});
  symbols::LibraryRequest wanted;
  wanted.name = "lib";
  wanted.source = *request("a", "git::https://example.com/lib").source;
  const std::string key = library_key(addrs::to_string(wanted.source), "");
  const auto found = [&](const std::string& package, const std::string& subdir) {
    records_.libraries[key] = {package, subdir};
    const InstalledModules modules(manifest_, records_, ".terraform", sources_);
    diag::Diagnostics diags;
    const auto path = modules.find_library(wanted, diags);
    return path ? *path : diags.items()[0].summary;
  };
  EXPECT_EQ(found("lib-1", ""), ".terraform/packages/lib-1");
  EXPECT_EQ(found("../../elsewhere", ""), "Symbol library not installed");
  EXPECT_EQ(found("..", ""), "Symbol library not installed");
  EXPECT_EQ(found("lib-1", "../../../elsewhere"), "Symbol library not installed");
  EXPECT_EQ(found("lib-1", "/etc"), "Symbol library not installed");
  std::ofstream(".terraform/packages/lib-1/main.tf") << "# edited\n";
  EXPECT_EQ(found("lib-1", ""), "Symbol library has changed");
}

TEST_F(ModuleFinderTest, CallsThatLinkToOnePackageShareItsFiles) {
  make(".terraform/packages/net-1");
  std::filesystem::create_directories(".terraform/modules");
  for (const std::string name : {"a", "b"}) {
    std::filesystem::create_directory_symlink("../packages/net-1", ".terraform/modules/" + name);
    manifest_.set({{name}}, {"./net", "", ".terraform/modules/" + name});
  }
  InstalledModules modules(manifest_, records_, ".terraform", sources_);
  diag::Diagnostics diags;
  const auto a = modules.find(request("a", "./net"), diags);
  const auto b = modules.find(request("b", "./net"), diags);
  ASSERT_TRUE(a && b);
  EXPECT_NE(a->directory, b->directory);
  EXPECT_EQ(a->files(), b->files());
}

TEST_F(ModuleFinderTest, AChangedOriginalOfACopyIsReported) {
  make("a");
  make(".terraform/modules/a/a");
  manifest_.set({{"a"}}, {"./a", "", ".terraform/modules/a/a"});
  records_.calls["a"] = {.package = "",
                         .label = "",
                         .placement = Placement::Own,
                         .origins = {{"a", "h1:of-something-else"}}};
  EXPECT_EQ(installed(request("a", "./a")), ".terraform/modules/a/a; Module has changed");
}

}  // namespace
}  // namespace tofu::install
