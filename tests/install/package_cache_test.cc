#include "install/package_cache.h"

#include <filesystem>

#include "archive/tree_hash.h"
#include "tests/archive/tree_fixture.h"

namespace tofu::install {
namespace {

constexpr const char* kLabel = "registry.example.com/team/vpc/aws";

class PackageCacheTest : public archive::TreeFixture {
 protected:
  PackageCacheTest() { write("fetched/main.tf", "content"); }

  PackageRecord record(std::string version, std::string revision = {}) const {
    return {.label = kLabel,
            .version = std::move(version),
            .revision = std::move(revision),
            .hash = *archive::hash_tree(at("fetched"))};
  }

  std::stop_source stop_;
  PackageCache cache_{at("cache/"), stop_.get_token()};
};

TEST_F(PackageCacheTest, MakesNothingBeforeSomethingIsAdded) {
  EXPECT_FALSE(cache_.find({kLabel, "1.0.0"}));
  EXPECT_FALSE(exists("cache"));
}

TEST_F(PackageCacheTest, APackageIsFoundByItsVersion) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  EXPECT_TRUE(exists("fetched/main.tf")) << "it is copied, not moved";
  const auto found = cache_.find({kLabel, "1.0.0"});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->path, *added);
  EXPECT_EQ(found->record.version, "1.0.0");
  EXPECT_EQ(found->record.hash, record("1.0.0").hash);
  EXPECT_FALSE(cache_.find({kLabel, "1.0.1"}));
  EXPECT_FALSE(cache_.find({"registry.example.com/team/other/aws", "1.0.0"}));
}

TEST_F(PackageCacheTest, APackageIsFoundByItsCommitOrItsContent) {
  ASSERT_TRUE(cache_.add(record("", "c0ffee"), at("fetched")));
  EXPECT_TRUE(cache_.find({kLabel, "", "c0ffee"}));
  EXPECT_FALSE(cache_.find({kLabel, "", record("").hash}));
  ASSERT_TRUE(cache_.add(record(""), at("fetched")));
  EXPECT_TRUE(cache_.find({kLabel, "", record("").hash}));
}

TEST_F(PackageCacheTest, FilesCannotBeWrittenAnyMore) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  const auto relative = std::filesystem::path(*added).lexically_relative(top_).string();
  EXPECT_EQ(mode(relative + "/main.tf") & 0222, 0u);
}

TEST_F(PackageCacheTest, ADamagedPackageIsNotFoundAndIsReplaced) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  const auto file = std::filesystem::path(*added) / "extra.tf";
  std::ofstream(file) << "smuggled";
  EXPECT_FALSE(cache_.find({kLabel, "1.0.0"}));
  ASSERT_TRUE(cache_.add(record("1.0.0"), at("fetched")));
  EXPECT_FALSE(std::filesystem::exists(file));
  EXPECT_TRUE(cache_.find({kLabel, "1.0.0"}));
}

TEST_F(PackageCacheTest, ALinkInPlaceOfAPackageIsNotBelieved) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  std::filesystem::remove_all(*added);
  std::filesystem::create_directory_symlink(at("fetched"), *added);
  EXPECT_FALSE(cache_.find({kLabel, "1.0.0"})) << "the content is right, but not in the cache";
}

TEST_F(PackageCacheTest, WhatAKilledRunLeftIsRemoved) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  const std::string name = std::filesystem::path(*added).filename();
  write("cache/.new-" + name + "-1-1/half", "");
  write("cache/.new-other-1-1/half", "");
  std::filesystem::remove_all(*added);
  ASSERT_TRUE(cache_.add(record("1.0.0"), at("fetched")));
  EXPECT_FALSE(exists("cache/.new-" + name + "-1-1"));
  EXPECT_TRUE(exists("cache/.new-other-1-1")) << "another run may be at work on another package";
}

TEST_F(PackageCacheTest, PruningRemovesPackagesOnly) {
  const auto added = cache_.add(record("1.0.0"), at("fetched"));
  ASSERT_TRUE(added);
  write("cache/registry.example.com/provider", "");
  write("cache/unlisted/main.tf", "");
  write("cache/unlisted.lock", "");
  for (const auto& entry : std::filesystem::directory_iterator(at("cache/index"))) {
    std::filesystem::last_write_time(entry, {});
  }
  const auto pruned = cache_.prune(std::chrono::seconds(0), false);
  ASSERT_TRUE(pruned);
  EXPECT_EQ(pruned->packages.size(), 2u);
  EXPECT_FALSE(std::filesystem::exists(*added));
  EXPECT_FALSE(exists("cache/unlisted")) << "a killed run left it without an index entry";
  EXPECT_TRUE(exists("cache/registry.example.com/provider")) << "no package";
}

TEST_F(PackageCacheTest, ADamagedIndexIsNoAnswer) {
  ASSERT_TRUE(cache_.add(record("1.0.0"), at("fetched")));
  for (const auto& entry : std::filesystem::directory_iterator(at("cache/index"))) {
    std::ofstream(entry.path()) << "nonsense";
  }
  EXPECT_FALSE(cache_.find({kLabel, "1.0.0"}));
}

TEST_F(PackageCacheTest, ADirectoryThatCannotBeMadeIsAnError) {
  write("file", "");
  PackageCache cache(at("file/cache"), stop_.get_token());
  const auto added = cache.add(record("1.0.0"), at("fetched"));
  ASSERT_FALSE(added);
  EXPECT_NE(added.error().what.find("failed: Not a directory"), std::string::npos)
      << added.error().what;
}

}  // namespace
}  // namespace tofu::install
