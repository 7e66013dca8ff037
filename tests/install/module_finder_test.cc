#include "install/module_finder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

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

  // Installs `request` and returns where it was found, or what went wrong.
  std::string install(const config::ModuleRequest& request, bool again = false) {
    ModuleInstaller installer(manifest_, again, sources_,
                              [&](const addrs::ModulePath& module, const std::string&) {
                                told_.push_back(manifest_key(module));
                              });
    diag::Diagnostics diags;
    const auto found = installer.find(request, diags);
    manifest_ = installer.manifest();
    return found ? found->directory : diags.has_errors() ? diags.items()[0].summary : "nothing";
  }

  std::string installed(const config::ModuleRequest& request) {
    InstalledModules modules(manifest_, sources_);
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
  std::vector<std::string> told_;
};

TEST_F(ModuleFinderTest, WhatIsInstalledIsFoundAgain) {
  make("a");
  EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed");
  EXPECT_EQ(install(request("a", "./a")), "a");
  EXPECT_EQ(installed(request("a", "./a")), "a");
}

TEST_F(ModuleFinderTest, OnlyWhatChangedIsInstalledAgain) {
  make("a");
  make("b");
  install(request("m", "./a"));
  install(request("m", "./a"));
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_EQ(install(request("m", "./b")), "b");
  EXPECT_EQ(told_.size(), 2U);
  install(request("m", "./b"), true);
  EXPECT_EQ(told_.size(), 3U);
}

TEST_F(ModuleFinderTest, AChangedCallForgetsWhatWasBelowIt) {
  make("a");
  make("b");
  manifest_.set({{"m", "inner"}}, {"./x", "", "a/x"});
  manifest_.set({{"more"}}, {"./y", "", "y"});
  install(request("m", "./b"));
  EXPECT_EQ(manifest_.find({{"m", "inner"}}), nullptr);
  EXPECT_NE(manifest_.find({{"more"}}), nullptr);
}

TEST_F(ModuleFinderTest, LinksAreFollowed) {
  make("real");
  std::filesystem::create_directory_symlink("real", "link");
  EXPECT_EQ(install(request("a", "./link")), "real");
}

TEST_F(ModuleFinderTest, DifferencesFromTheRecordAreReported) {
  make("a");
  install(request("a", "./a"));
  EXPECT_EQ(installed(request("a", "./b")), "a; Module source has changed");
  config::ModuleRequest versioned = request("a", "./a");
  versioned.version = *config::Constraints::parse(">= 1.0");
  EXPECT_EQ(installed(versioned), "a; Module version has changed");
  std::filesystem::remove_all("a");
  EXPECT_EQ(installed(request("a", "./a")), "nothing; Module not installed");
}

TEST_F(ModuleFinderTest, WhatCannotBeInstalledIsAnError) {
  EXPECT_EQ(install(request("a", "./nowhere")), "Unreadable module directory");
  config::ModuleRequest remote = request("a", "");
  remote.source = addrs::RemoteSource{"git::https://example.com/m.git"};
  EXPECT_EQ(install(remote), "Module source is not available");
  remote.source = std::nullopt;  // reported by whoever read it
  EXPECT_EQ(install(remote), "nothing");
}

}  // namespace
}  // namespace tofu::install
