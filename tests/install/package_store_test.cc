#include "install/package_store.h"

#include <filesystem>

#include "tests/archive/tree_fixture.h"

namespace tofu::install {
namespace {

class PackageStoreTest : public archive::TreeFixture {
 protected:
  std::stop_source stop_;
  PackageStore store_{at("data")};
};

TEST_F(PackageStoreTest, MakesNothingBeforeItIsOpened) {
  EXPECT_FALSE(exists("data"));
  EXPECT_FALSE(store_.is_open());
  ASSERT_TRUE(store_.open(stop_.get_token()));
  EXPECT_TRUE(store_.is_open());
  EXPECT_TRUE(exists("data/packages"));
  EXPECT_TRUE(exists("data/modules"));
  EXPECT_TRUE(store_.open(stop_.get_token())) << "a second time does nothing";
}

TEST_F(PackageStoreTest, ALinkInPlaceOfADirectoryIsRefused) {
  std::filesystem::create_directories(at("data"));
  std::filesystem::create_directories(at("elsewhere"));
  link("data/packages", at("elsewhere"));
  const auto opened = store_.open(stop_.get_token());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().what.find("packages is a link; it must be a directory"),
            std::string::npos)
      << opened.error().what;
  EXPECT_TRUE(std::filesystem::is_empty(at("elsewhere")));
}

TEST_F(PackageStoreTest, WhatAKilledRunLeftIsRemoved) {
  write("data/packages/.new-7/main.tf", "half");
  write("data/packages/kept/main.tf", "whole");
  ASSERT_TRUE(store_.open(stop_.get_token()));
  EXPECT_FALSE(exists("data/packages/.new-7"));
  EXPECT_TRUE(exists("data/packages/kept/main.tf"));
}

TEST_F(PackageStoreTest, ARunLeavesNoTemporaryNames) {
  {
    PackageStore store(at("other"));
    ASSERT_TRUE(store.open(stop_.get_token()));
    const std::string one = store.temporary_path();
    EXPECT_NE(one, store.temporary_path());
    std::filesystem::create_directories(one);
    EXPECT_TRUE(std::filesystem::exists(one));
  }
  for (const auto& entry : std::filesystem::directory_iterator(at("other/packages"))) {
    EXPECT_EQ(entry.path().filename(), ".lock");
  }
}

TEST_F(PackageStoreTest, PlacingReplacesWhatWasThere) {
  ASSERT_TRUE(store_.open(stop_.get_token()));
  const std::string into = store_.package_path("vpc-1");
  for (const char* text : {"first", "second"}) {
    const std::string fresh = store_.temporary_path();
    std::filesystem::create_directories(fresh);
    std::ofstream(fresh + "/main.tf") << text;
    ASSERT_TRUE(store_.place(fresh, into));
    EXPECT_FALSE(std::filesystem::exists(fresh));
    EXPECT_EQ(read("data/packages/vpc-1/main.tf"), text);
  }
  const auto missing = store_.place(store_.temporary_path(), into);
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().what.find("No such file or directory"), std::string::npos)
      << missing.error().what;
}

TEST_F(PackageStoreTest, LinksReplaceLinksAndDirectories) {
  ASSERT_TRUE(store_.open(stop_.get_token()));
  write("data/modules/a/main.tf", "a copy");
  ASSERT_TRUE(store_.place_link("../packages/one", store_.entry_path("a")));
  ASSERT_TRUE(store_.place_link("../packages/one", store_.entry_path("b")));
  ASSERT_TRUE(store_.place_link("../packages/one", store_.entry_path("b"))) << "it is there";
  ASSERT_TRUE(store_.place_link("../packages/two", store_.entry_path("b")));
  EXPECT_EQ(std::filesystem::read_symlink(at("data/modules/a")), "../packages/one");
  EXPECT_EQ(std::filesystem::read_symlink(at("data/modules/b")), "../packages/two");
}

TEST_F(PackageStoreTest, PackagesThatNobodyUsesAreRemoved) {
  ASSERT_TRUE(store_.open(stop_.get_token()));
  for (const char* name : {"used-1", "old-1"})
    write(std::string("data/packages/") + name + "/x", "");
  write("data/packages/packages.json", "{}");
  store_.remove_others({"used-1"});
  EXPECT_TRUE(exists("data/packages/used-1"));
  EXPECT_FALSE(exists("data/packages/old-1"));
  EXPECT_TRUE(exists("data/packages/packages.json"));
}

TEST_F(PackageStoreTest, ASecondRunWaitsUntilItIsCancelled) {
  ASSERT_TRUE(store_.open(stop_.get_token()));
  PackageStore second(at("data"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(second.open(stop.get_token()));
  EXPECT_FALSE(second.is_open());
}

TEST(PackageName, ShowsTheSourceAndDependsOnTheContent) {
  const std::string name = package_name("git::https://example.com/team/vpc.git?ref=v1", "h1:a");
  EXPECT_TRUE(name.starts_with("vpc-")) << name;
  EXPECT_EQ(name.size(), std::string("vpc-").size() + 32);
  EXPECT_EQ(name, package_name("https://example.com/other/vpc.zip", "h1:a"));
  EXPECT_NE(name, package_name("https://example.com/other/vpc.zip", "h1:b"));
  EXPECT_TRUE(package_name("https://example.com/a b!.tar.gz", "x").starts_with("a_b_-"));
  EXPECT_TRUE(package_name("///", "x").starts_with("package-"));
}

}  // namespace
}  // namespace tofu::install
