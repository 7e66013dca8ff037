#include "install/method_list.h"

#include <filesystem>
#include <gtest/gtest.h>

#include "tests/archive/tree_fixture.h"

namespace tofu::install {
namespace {

using Kind = MethodProblem::Kind;

addrs::Provider provider(std::string_view source) {
  diag::Diagnostics diags;
  return *addrs::parse_provider_source(source, std::nullopt, diags);
}

bool matches(std::string_view pattern, std::string_view source) {
  return ProviderPattern::parse(pattern)->matches(provider(source));
}

TEST(ProviderPattern, PartsAreEqualOrAnything) {
  EXPECT_TRUE(matches("hashicorp/aws", "hashicorp/aws"));
  EXPECT_FALSE(matches("hashicorp/aws", "hashicorp/null"));
  EXPECT_FALSE(matches("hashicorp/aws", "example.com/hashicorp/aws"));
  EXPECT_TRUE(matches("hashicorp/*", "hashicorp/null"));
  EXPECT_TRUE(matches("*/*", "other/null"));
  EXPECT_FALSE(matches("*/*", "example.com/other/null"));
  EXPECT_TRUE(matches("example.com/*/*", "example.com/other/null"));
  EXPECT_TRUE(matches("*/*/*", "example.com/other/null"));
  EXPECT_TRUE(matches("Example.com/HashiCorp/AWS", "example.com/hashicorp/aws"));
}

TEST(ProviderPattern, AnythingStandsOnTheRightOnly) {
  for (const char* text : {"aws", "*/aws", "*/hashicorp/aws", "example.com/*/aws", "a/b/c/d",
                           "a b/c", "example.com//aws", ""}) {
    EXPECT_FALSE(ProviderPattern::parse(text)) << text;
  }
}

class MethodListTest : public archive::TreeFixture {
 protected:
  std::unique_ptr<InstallMethod> mirror(std::string_view name) const {
    return std::make_unique<FilesystemMirror>(at(name));
  }
  void put(const std::string& mirror_name, const std::string& version,
           const std::string& platform = "linux_amd64") const {
    write(mirror_name + "/registry.opentofu.org/hashicorp/null/" + version + "/" + platform +
              "/terraform-provider-null",
          "x");
  }
  static std::vector<ProviderPattern> patterns(std::string_view text) {
    return {*ProviderPattern::parse(text)};
  }
  static std::string versions(InstallMethod& method) {
    const auto offered = method.versions(provider("hashicorp/null"));
    if (!offered) return offered.error().kind == Kind::Failed ? "failed" : "not found";
    std::string text;
    for (const auto& version : offered->versions) text += version.to_string() + " ";
    return text;
  }
  static std::string package(InstallMethod& method, std::string_view version) {
    const auto offer = method.package(provider("hashicorp/null"), *addrs::Version::parse(version),
                                      {"linux", "amd64"});
    if (!offer) return offer.error().kind == Kind::NoPackage ? "no package" : "failed";
    if (const auto* directory = std::get_if<PackageDirectory>(&offer->location)) {
      return directory->path;
    }
    return std::get<PackageFile>(offer->location).path;
  }
};

TEST_F(MethodListTest, AMirrorHasPackedAndUnpackedPackages) {
  put("a", "1.0.0");
  put("a", "1.2.0", "windows_arm64");
  write("a/registry.opentofu.org/hashicorp/null/Terraform-Provider-null_1.1.0_linux_amd64.zip", "");
  for (const char* other : {"terraform-provider-null_1.3.0_linux.zip", "README", "v9/linux_amd64/x",
                            "terraform-provider-nil_1.4.0_linux_amd64.zip", "1.5.0/README"}) {
    write(std::string("a/registry.opentofu.org/hashicorp/null/") + other, "");
  }
  FilesystemMirror method(at("a"));
  EXPECT_EQ(versions(method), "1.0.0 1.2.0 1.1.0 ");
  EXPECT_EQ(package(method, "1.0.0"),
            at("a/registry.opentofu.org/hashicorp/null/1.0.0/linux_amd64"));
  EXPECT_EQ(
      package(method, "1.1.0"),
      at("a/registry.opentofu.org/hashicorp/null/Terraform-Provider-null_1.1.0_linux_amd64.zip"));
  EXPECT_EQ(package(method, "1.2.0"), "no package");
}

TEST_F(MethodListTest, AMirrorThatIsNotThereIsAMistake) {
  FilesystemMirror missing(at("nowhere"));
  EXPECT_EQ(versions(missing), "failed");
  std::filesystem::create_directory(at("empty"));
  FilesystemMirror empty(at("empty"));
  EXPECT_EQ(versions(empty), "not found");
}

TEST_F(MethodListTest, VersionsAreThoseOfAllAndPackagesOfTheFirst) {
  put("a", "1.0.0");
  put("b", "1.0.0");
  put("b", "2.0.0");
  MethodList list;
  list.add({mirror("a")});
  list.add({mirror("b")});
  EXPECT_EQ(versions(list), "1.0.0 1.0.0 2.0.0 ");
  EXPECT_EQ(package(list, "1.0.0"), at("a/registry.opentofu.org/hashicorp/null/1.0.0/linux_amd64"));
  EXPECT_EQ(package(list, "2.0.0"), at("b/registry.opentofu.org/hashicorp/null/2.0.0/linux_amd64"));
}

TEST_F(MethodListTest, WhatIsExcludedIsNotAsked) {
  put("a", "1.0.0");
  put("b", "2.0.0");
  MethodList list;
  list.add({mirror("a"), patterns("hashicorp/*"), patterns("hashicorp/null")});
  list.add({mirror("b"), patterns("hashicorp/aws"), {}});
  EXPECT_EQ(versions(list), "not found");
  list.add({mirror("b"), patterns("*/*"), patterns("hashicorp/aws")});
  EXPECT_EQ(versions(list), "2.0.0 ");
}

TEST_F(MethodListTest, ImpliedMirrorsKeepOthersFromBeingAsked) {
  put("a", "1.0.0", "plan9_mips");
  put("b", "2.0.0");
  std::filesystem::create_directory(at("empty"));
  MethodList list;
  list.add_implied({at("a"), at("empty")}, mirror("b"));
  EXPECT_EQ(versions(list), "1.0.0 ") << "even if there is no package for this platform";
  MethodList open;
  open.add_implied({at("empty")}, mirror("b"));
  EXPECT_EQ(versions(open), "2.0.0 ");
}

}  // namespace
}  // namespace tofu::install
