#include "archive/tree_hash.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "tests/archive/tree_fixture.h"

namespace tofu::archive {
namespace {

using ::testing::HasSubstr;

class TreeHashTest : public TreeFixture {
 protected:
  std::string hash(std::string_view path = "d") const {
    const auto hashed = hash_tree(at(path));
    return hashed ? *hashed : "failed: " + hashed.error().what;
  }
  void write_some() const {
    write("d/main.tf", "hello\n");
    write("d/empty", "");
    write("d/sub/a.txt", "x");
    write("d/sub-b", "y");
    write("d/sub/deep/z", "z");
  }
};

// Recorded from golang.org/x/mod/sumdb/dirhash.
TEST_F(TreeHashTest, IsWhatGoComputes) {
  write_some();
  std::filesystem::create_directory(at("d/nothing"));
  EXPECT_EQ(hash(), "h1:N7wr259JyqTqbMLY0KH52HqSZsYJWIA9efalfGjwdHM=");
}

TEST_F(TreeHashTest, DoesNotDependOnPermissionsOrOnHowTheTreeIsReached) {
  write_some();
  ::chmod(at("d/main.tf").c_str(), 0555);
  link("other", "d");
  EXPECT_EQ(hash("other"), "h1:N7wr259JyqTqbMLY0KH52HqSZsYJWIA9efalfGjwdHM=");
}

TEST_F(TreeHashTest, ManyFilesGiveTheSameHashEveryTime) {
  for (int i = 0; i < 300; ++i) write("d/" + std::to_string(i), std::string(1000, 'a'));
  const std::string first = hash();
  EXPECT_THAT(first, HasSubstr("h1:"));
  EXPECT_EQ(hash(), first);
  write("d/299", "b");
  EXPECT_NE(hash(), first);
}

TEST_F(TreeHashTest, LinksThatAreFollowedCountAsTheFilesTheyLeadTo) {
  write("elsewhere", "text");
  write("d/file", "text");
  const std::string plain = hash();
  std::filesystem::remove(at("d/file"));
  link("d/file", "../elsewhere");
  EXPECT_EQ(*hash_tree(at("d"), TreeContents::All, FileLinks::Followed), plain);
  link("d/up", "..");
  EXPECT_FALSE(hash_tree(at("d"), TreeContents::All, FileLinks::Followed));
}

TEST_F(TreeHashTest, LinksCountAsWhatTheySayAndNotAsFiles) {
  write("d/file", "text");
  const std::string without = hash();
  link("d/link", "file");
  const std::string to_file = hash();
  std::filesystem::remove(at("d/link"));
  link("d/link", "nowhere");
  const std::string to_nowhere = hash();
  std::filesystem::remove(at("d/link"));
  write("d/link", "nowhere");

  EXPECT_NE(to_file, without);
  EXPECT_NE(to_nowhere, to_file);
  EXPECT_NE(hash(), to_nowhere);
  EXPECT_THAT(to_nowhere, HasSubstr("h1:"));
}

TEST_F(TreeHashTest, LinksToDirectoriesAreNotFollowed) {
  write("outside/secret", "1");
  link("d/link", "../outside");
  const std::string before = hash();
  write("outside/secret", "2");
  EXPECT_EQ(hash(), before);
}

TEST_F(TreeHashTest, WhatCannotBeHashedIsNamed) {
  EXPECT_THAT(hash(), HasSubstr("failed: "));
  write("d/line\nbreak", "");
  EXPECT_THAT(hash(), HasSubstr("line\\nbreak"));
  std::filesystem::remove(at("d/line\nbreak"));
  ::mkfifo(at("d/pipe").c_str(), 0600);
  EXPECT_THAT(hash(), HasSubstr("pipe"));
}

TEST_F(TreeHashTest, ArchivesAreHashedWhole) {
  constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  write("a.zip", "abc");
  const auto hashed = hash_archive(at("a.zip"));
  ASSERT_TRUE(hashed.ok());
  EXPECT_EQ(*hashed, fmt::format("zh:{}", kAbc));
  EXPECT_FALSE(hash_archive(at("missing")).ok());
}

}  // namespace
}  // namespace tofu::archive
