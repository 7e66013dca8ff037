#include "archive/tree_copy.h"

#include <atomic>
#include <gmock/gmock.h>
#include <thread>

#include "archive/tree_hash.h"
#include "tests/archive/tree_fixture.h"

namespace tofu::archive {
namespace {

using ::testing::HasSubstr;

class TreeCopyTest : public TreeFixture {};

TEST_F(TreeCopyTest, CopiesFilesDirectoriesAndLinks) {
  write("from/main.tf", "text", 0444);
  write("from/sub/run.sh", std::string(1'000'000, 'r'), 0555);
  write("from/.hidden", "");
  std::filesystem::create_directory(at("from/nothing"));
  link("from/sub/up", "../main.tf");
  link("from/dangling", "nowhere");

  ASSERT_TRUE(copy_tree(at("from"), at("to")).ok());

  EXPECT_EQ(read("to/main.tf"), "text");
  EXPECT_EQ(read("to/sub/run.sh").size(), 1'000'000u);
  EXPECT_TRUE(std::filesystem::is_directory(at("to/nothing")));
  EXPECT_EQ(std::filesystem::read_symlink(at("to/sub/up")), "../main.tf");
  EXPECT_EQ(std::filesystem::read_symlink(at("to/dangling")), "nowhere");
  EXPECT_EQ(*hash_tree(at("to")), *hash_tree(at("from")));
  EXPECT_EQ(mode("to/main.tf") & 0711, 0600u);
  EXPECT_EQ(mode("to/sub/run.sh") & 0700, 0700u);
}

TEST_F(TreeCopyTest, ACopyBelongsToItself) {
  write("from/a", "one");
  ASSERT_TRUE(copy_tree(at("from"), at("to")).ok());
  write("to/a", "two");
  EXPECT_EQ(read("from/a"), "one");
}

TEST_F(TreeCopyTest, WhatIsAlreadyThereStays) {
  write("from/a", "new");
  write("to/a", "old");
  EXPECT_FALSE(copy_tree(at("from"), at("to")).ok());
  EXPECT_EQ(read("to/a"), "old");
}

TEST_F(TreeCopyTest, AFailedCopyLeavesNothing) {
  write("from/a", "a");
  ::mkfifo(at("from/pipe").c_str(), 0600);

  const auto copied = copy_tree(at("from"), at("to"));

  ASSERT_FALSE(copied.ok());
  EXPECT_THAT(copied.error().what, HasSubstr("pipe"));
  EXPECT_FALSE(exists("to"));
  EXPECT_FALSE(copy_tree(at("missing"), at("to")).ok());
  EXPECT_FALSE(exists("to"));
}

TEST_F(TreeCopyTest, ReadOnlyFilesCannotBeWrittenButTheirDirectoriesCan) {
  write("d/sub/a", "", 0755);
  write("outside", "");
  link("d/link", "../outside");
  ASSERT_TRUE(make_read_only(at("d")).ok());
  EXPECT_EQ(mode("d/sub/a"), 0555u);
  EXPECT_EQ(mode("outside"), 0644u);
  EXPECT_EQ(mode("d/sub") & 0700, 0700u);
}

TEST_F(TreeCopyTest, RemovingNeverFollowsLinks) {
  write("outside/keep", "");
  write("d/sub/a", "", 0444);
  link("d/to_directory", "../outside");
  link("d/sub/to_file", "../../outside/keep");
  link("top", "outside");

  EXPECT_TRUE(remove_tree(at("d")).ok());
  EXPECT_TRUE(remove_tree(at("top")).ok());

  EXPECT_FALSE(exists("d"));
  EXPECT_FALSE(exists("top"));
  EXPECT_TRUE(exists("outside/keep"));
}

TEST_F(TreeCopyTest, RemovingTakesProtectedDirectoriesAndWhatIsNoDirectory) {
  write("d/sub/a", "");
  ::chmod(at("d/sub").c_str(), 0555);
  ::mkfifo(at("d/pipe").c_str(), 0600);
  write("file", "");
  EXPECT_TRUE(remove_tree(at("d")).ok());
  EXPECT_TRUE(remove_tree(at("file")).ok());
  EXPECT_TRUE(remove_tree(at("missing")).ok());
  EXPECT_FALSE(exists("d"));
  EXPECT_FALSE(exists("file"));
}

TEST_F(TreeCopyTest, DeepTreesAreNoDanger) {
  std::string path = "d";
  for (int i = 0; i < 400; ++i) path += "/x";
  std::filesystem::create_directories(at(path));
  write(path + "/end", "e");
  ASSERT_TRUE(copy_tree(at("d"), at("to")).ok());
  EXPECT_EQ(*hash_tree(at("to")), *hash_tree(at("d")));
  EXPECT_TRUE(remove_tree(at("d")).ok());
  EXPECT_FALSE(exists("d"));
}

TEST_F(TreeCopyTest, SizeIsMeasuredWhileOthersWorkInTheTree) {
  write("tree/stays", "12345");
  std::atomic<bool> ended = false;
  std::jthread other([&] {
    while (!ended) {
      write("tree/a/b/comes-and-goes", "1");
      std::filesystem::remove_all(at("tree/a"));
    }
  });
  for (int i = 0; i < 300; ++i) {
    const auto size = tree_size(at("tree"));
    ASSERT_TRUE(size) << size.error().what;
    ASSERT_GE(size->bytes, 5u);
  }
  ended = true;
}

TEST_F(TreeCopyTest, SizeCountsFilesOnce) {
  write("d/a", "12345");
  write("d/sub/b", "123");
  link("d/c", "a");
  const auto size = tree_size(at("d"));
  ASSERT_TRUE(size.ok());
  EXPECT_EQ(size->bytes, 8u);
  EXPECT_EQ(size->files, 3u);
}

}  // namespace
}  // namespace tofu::archive
