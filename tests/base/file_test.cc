#include "base/file.h"

#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tofu::base {
namespace {

// This room is the door to the disk, so its tests need one: a directory of
// their own that goes away with each test.
class FileTest : public testing::Test {
 protected:
  FileTest() {
    std::string pattern = testing::TempDir() + "tofu_file_XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~FileTest() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }
  std::string content(const std::string& name) const {
    const auto text = read_file(path(name));
    return text ? *text : "error: " + text.error().what;
  }
  static unsigned mode(const std::string& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
  }

  std::string directory_;
};

TEST_F(FileTest, WhatIsWrittenIsReadBack) {
  const std::string text = std::string("a\0b", 3) + std::string(200'000, 'x');

  ASSERT_TRUE(write_file(path("a"), text));

  EXPECT_EQ(content("a"), text);
}

TEST_F(FileTest, ReplacingKeepsThePermissions) {
  ASSERT_TRUE(write_file(path("a"), "old", 0644));
  ASSERT_EQ(::chmod(path("a").c_str(), 0640), 0);

  ASSERT_TRUE(write_file(path("a"), "new"));

  EXPECT_EQ(content("a"), "new");
  EXPECT_EQ(mode(path("a")), 0640u);
}

TEST_F(FileTest, ANewFileGetsTheModeAskedFor) {
  ASSERT_TRUE(write_file(path("secret"), "x", 0600));

  EXPECT_EQ(mode(path("secret")), 0600u);
}

TEST_F(FileTest, APrivateFileIsItsOwnersWhateverItWasBefore) {
  ASSERT_TRUE(write_file(path("file"), "old", 0644));
  for (const char* name : {"file", "new"}) {
    ASSERT_TRUE(write_private_file(path(name), "secret"));
    EXPECT_EQ(mode(path(name)), 0600u) << name;
    EXPECT_EQ(content(name), "secret");
  }
}

TEST(StandardDescriptors, NoFileGetsTheNumberOfOneThatWasClosed) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(STDIN_FILENO);
    ::close(STDERR_FILENO);
    open_standard_descriptors();
    ::_exit(::open("/dev/null", O_RDONLY) > STDERR_FILENO ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(FileTest, SyncingPassesOverWhatIsMissing) {
  EXPECT_TRUE(sync_file_systems(std::array{path("missing"), directory_, directory_}));
}

TEST_F(FileTest, WritingThroughALinkKeepsTheLink) {
  ASSERT_TRUE(write_file(path("target"), "old"));
  ASSERT_EQ(::symlink("target", path("link").c_str()), 0);

  ASSERT_TRUE(write_file(path("link"), "new"));

  EXPECT_EQ(content("target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
}

TEST_F(FileTest, AFailedWriteLeavesNothingBehind) {
  ASSERT_EQ(::mkdir(path("d").c_str(), 0755), 0);

  EXPECT_FALSE(write_file(path("d"), "x"));
  EXPECT_FALSE(write_file(path("none/x"), "x"));

  EXPECT_EQ(list_directory(directory_)->size(), 1u);
}

TEST_F(FileTest, ReadingSaysWhyItFailed) {
  EXPECT_EQ(content("none"), "error: no such file or directory");
  EXPECT_EQ(read_file(directory_).error().what, "is a directory");
}

TEST_F(FileTest, AFileOverTheLimitIsRefused) {
  ASSERT_TRUE(write_file(path("a"), "12345"));

  EXPECT_FALSE(read_file(path("a"), 4));
  EXPECT_TRUE(read_file(path("a"), 5));
}

TEST_F(FileTest, ListsNamesInByteOrderWithTheirKinds) {
  ASSERT_TRUE(write_file(path("b"), ""));
  ASSERT_TRUE(write_file(path("Z"), ""));
  ASSERT_EQ(::mkdir(path("a").c_str(), 0755), 0);
  ASSERT_EQ(::symlink("a", path("to_dir").c_str()), 0);
  ASSERT_EQ(::symlink("nowhere", path("dangling").c_str()), 0);

  const auto entries = list_directory(directory_);

  ASSERT_TRUE(entries);
  std::string shown;
  for (const DirectoryEntry& entry : *entries) {
    shown += entry.name + (entry.is_link ? "@" : "") + std::to_string(int(entry.kind)) + " ";
  }
  EXPECT_EQ(shown, "Z1 a2 b1 dangling@0 to_dir@2 ");
}

TEST_F(FileTest, TellsKindsApart) {
  ASSERT_TRUE(write_file(path("f"), ""));

  EXPECT_EQ(*file_kind(path("f")), FileKind::Regular);
  EXPECT_EQ(*file_kind(directory_), FileKind::Directory);
  EXPECT_EQ(*file_kind(path("none")), FileKind::Missing);
  EXPECT_EQ(*file_kind(path("f/below")), FileKind::Missing);
  EXPECT_EQ(*file_kind("/dev/null"), FileKind::Other);
}

}  // namespace
}  // namespace tofu::base
