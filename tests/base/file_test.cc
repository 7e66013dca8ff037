#include "base/file.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <vector>

namespace tofu::base {
namespace {

// This component is the interface to the disk, so its tests need one: a directory of their own that
// goes away with each test.
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

TEST_F(FileTest, ReplacingKeepsOwnerAndGroupWhereItMay) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may give files away";
  struct stat info {};
  for (const char* name : {"open", "private"}) {
    ASSERT_TRUE(write_file(path(name), "old", 0640));
    ASSERT_EQ(::chown(path(name).c_str(), 1234, 2345), 0);
    ASSERT_EQ(::chmod(path(name).c_str(), 04640), 0);
  }

  ASSERT_TRUE(write_file(path("open"), "new"));
  ASSERT_TRUE(write_private_file(path("private"), "new"));

  for (const char* name : {"open", "private"}) {
    ASSERT_EQ(::stat(path(name).c_str(), &info), 0);
    EXPECT_EQ(info.st_uid, 1234u) << name;
    EXPECT_EQ(info.st_gid, 2345u) << name;
  }
  EXPECT_EQ(mode(path("open")), 04640u);
  EXPECT_EQ(mode(path("private")), 0600u);

  ASSERT_TRUE(write_private_file(path("private"), "newer", Permissions::New));
  ASSERT_EQ(::stat(path("private").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 0u);
}

TEST_F(FileTest, ReplacingKeepsExtendedAttributes) {
  ASSERT_TRUE(write_file(path("a"), "old"));
  if (::setxattr(path("a").c_str(), "user.label", "blue", 4, 0) != 0) {
    GTEST_SKIP() << "this file system has no extended attributes";
  }

  ASSERT_TRUE(write_file(path("a"), "new"));
  ASSERT_TRUE(write_private_file(path("a"), "newer"));

  std::array<char, 16> value{};
  ASSERT_EQ(::getxattr(path("a").c_str(), "user.label", value.data(), value.size()), 4);
  EXPECT_EQ(std::string_view(value.data(), 4), "blue");
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

TEST_F(FileTest, WhatKilledProcessesLeftOfAReplacementIsRemoved) {
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  const std::string dead = ".tmp" + std::to_string(ended);
  const std::string living = ".tmp" + std::to_string(::getppid());
  const std::string left = "a" + dead + "-0";
  for (const std::string& name : std::vector<std::string>{
           std::string(left), "a" + living + "-0", "b" + dead + "-0", "a" + dead, "a" + dead + "-x",
           "a.tmp-1", std::string("a.tmpx-1"), std::string("a")}) {
    ASSERT_TRUE(write_file(path(name), ""));
  }
  const auto names = [&] {
    std::vector<std::string> all;
    const auto entries = list_directory(directory_);
    for (const DirectoryEntry& entry : *entries) {
      all.push_back(entry.name);
    }
    return all;
  };
  const auto before = names();

  remove_abandoned_replacements(path("a"), std::chrono::hours(1));
  EXPECT_EQ(names(), before) << "it is not old enough";

  remove_abandoned_replacements(path("a"), {});
  auto expected = before;
  std::erase(expected, left);
  EXPECT_EQ(names(), expected);

  // Replacing a file removes old temporary files.
  for (const bool is_private : {false, true}) {
    ASSERT_TRUE(write_file(path(left), ""));
    std::filesystem::last_write_time(
        path(left), std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
    ASSERT_TRUE(is_private ? write_private_file(path("a"), "") : write_file(path("a"), ""));
    EXPECT_EQ(names(), expected) << is_private;
  }
}

TEST_F(FileTest, DirectoriesAboveAFileAreMade) {
  ASSERT_TRUE(make_directory_of(path("x/y/z")));
  ASSERT_TRUE(make_directory_of(path("x/y/z")));
  EXPECT_EQ(*file_kind(path("x/y")), FileKind::Directory);
  ASSERT_TRUE(write_file(path("file"), ""));
  EXPECT_FALSE(make_directory_of(path("file/y")));
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
