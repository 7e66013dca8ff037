#include "base/disk.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace tofu::base {
namespace {

class SystemDiskTest : public testing::Test {
 protected:
  SystemDiskTest() {
    std::string pattern = testing::TempDir() + "tofu_disk_XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~SystemDiskTest() override { std::filesystem::remove_all(directory_); }

  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string directory_;
  Disk& disk_ = system_disk();
};

TEST_F(SystemDiskTest, ErrorsHaveTheNumbersOfTheSystem) {
  EXPECT_EQ(disk_.open(path("none"), OpenMode::Read, 0).error().value, ENOENT);
  ASSERT_TRUE(disk_.open(path("a"), OpenMode::Create, 0600));
  EXPECT_EQ(disk_.open(path("a"), OpenMode::Create, 0600).error().value, EEXIST);
  EXPECT_EQ(disk_.open(path("a"), OpenMode::Journal, 0600).error().value, EEXIST);
  EXPECT_EQ(disk_.remove(path("none")).error().value, ENOENT);
  EXPECT_EQ(disk_.rename(path("none"), path("b")).error().value, ENOENT);
  EXPECT_EQ(disk_.info(path("none")).error().value, ENOENT);
  EXPECT_EQ(disk_.make_directory(directory_).error().value, EEXIST);
  EXPECT_EQ(disk_.names_in(path("none")).error().value, ENOENT);
}

TEST_F(SystemDiskTest, AClearedFileIsWrittenFromItsBeginning) {
  const auto file = disk_.open(path("a"), OpenMode::Change, 0600);
  ASSERT_TRUE(file);
  ASSERT_TRUE(write_all(**file, "a long text"));
  ASSERT_TRUE((*file)->clear());
  ASSERT_TRUE(write_all(**file, "short"));
  EXPECT_EQ(*read_file(disk_, path("a")), "short");
}

TEST_F(SystemDiskTest, AFileTellsWhetherItStillHasAName) {
  const auto file = disk_.open(path("a"), OpenMode::Create, 0640);
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->info()->links, 1u);
  EXPECT_EQ((*file)->info()->inode, disk_.info(path("a"))->inode);
  ASSERT_TRUE(disk_.remove(path("a")));
  EXPECT_EQ((*file)->info()->links, 0u);
}

TEST_F(SystemDiskTest, ALockBelongsToTheOpenFile) {
  auto first = disk_.open(path("a"), OpenMode::Change, 0600);
  const auto second = disk_.open(path("a"), OpenMode::Change, 0600);
  ASSERT_TRUE(first && second);
  EXPECT_TRUE(*(*first)->try_lock());
  EXPECT_FALSE(*(*second)->try_lock());
  first->reset();
  EXPECT_TRUE(*(*second)->try_lock());
}

TEST_F(SystemDiskTest, OnlyRunningProcessesAreRunning) {
  EXPECT_EQ(disk_.process(), ::getpid());
  EXPECT_TRUE(disk_.is_running(::getpid()));
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ASSERT_GT(child, 0);
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(disk_.is_running(child));
}

// Writes a byte at a time, and is interrupted before every other one.
class SlowFile final : public DiskFile {
 public:
  Result<std::string> read(std::uint64_t) override { return content; }
  DiskResult<std::size_t> write_some(std::string_view text) override {
    if (++calls % 2 == 1) return ErrorNumber{calls > 7 ? ENOSPC : EINTR};
    content += text[0];
    return std::size_t{1};
  }
  DiskResult<void> sync() override { return {}; }
  DiskResult<void> sync_content() override { return {}; }
  DiskResult<void> clear() override { return {}; }
  DiskResult<FileInfo> info() override { return FileInfo{}; }
  Result<bool> try_lock() override { return true; }
  DiskResult<void> take_attributes_of(const std::string&, Permissions) override { return {}; }
  void take_owner_of(const std::string&) override {}

  std::string content;
  int calls = 0;
};

TEST(WriteAll, GoesOnAfterShortWritesAndInterruptions) {
  SlowFile file;
  EXPECT_TRUE(write_all(file, "abc"));
  EXPECT_EQ(file.content, "abc");
  EXPECT_EQ(write_all(file, "defgh").error().value, ENOSPC);
}

TEST(DirectoryOf, IsTheDirectoryAsWritten) {
  EXPECT_EQ(directory_of("a"), ".");
  EXPECT_EQ(directory_of("/a"), "/");
  EXPECT_EQ(directory_of("a/b/c"), "a/b");
}

}  // namespace
}  // namespace tofu::base
