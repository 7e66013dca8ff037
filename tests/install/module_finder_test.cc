#include "install/module_finder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

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
  versioned.version = *config::Constraints::parse(">= 1.0");
  EXPECT_EQ(installed(versioned), "a; Module version has changed");
  std::filesystem::remove_all("a");
  EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed");
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
