#include "base/file_lock.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <thread>

namespace tofu::base {
namespace {

class FileLockTest : public ::testing::Test {
 protected:
  FileLockTest() {
    std::string pattern = std::filesystem::temp_directory_path() / "lock_XXXXXX";
    directory_ = ::mkdtemp(pattern.data());
  }
  ~FileLockTest() override { std::filesystem::remove_all(directory_); }

  std::string path_in(const char* name) const { return directory_ + "/" + name; }

  std::string directory_;
  std::stop_source stop_;
};

TEST_F(FileLockTest, ASecondHolderWaitsForTheFirst) {
  auto first = FileLock::take(path_in("lock"), stop_.get_token());
  ASSERT_TRUE(first);
  std::atomic<bool> released = false;
  bool was_released = false;
  std::jthread other([&] {
    const auto second = FileLock::take(path_in("lock"), stop_.get_token());
    was_released = second && released;
  });
  released = true;
  { const FileLock gone = std::move(*first); }
  other.join();
  EXPECT_TRUE(was_released);
}

TEST_F(FileLockTest, WaitingEndsWhenItIsCancelled) {
  const auto first = FileLock::take(path_in("lock"), stop_.get_token());
  ASSERT_TRUE(first);
  std::string problem;
  std::jthread other([&] {
    const auto second = FileLock::take(path_in("lock"), stop_.get_token());
    if (!second) problem = second.error().what;
  });
  stop_.request_stop();
  other.join();
  EXPECT_NE(problem.find("interrupted"), std::string::npos) << problem;
}

TEST_F(FileLockTest, ALinkInItsPlaceIsRefused) {
  std::filesystem::create_symlink(path_in("elsewhere"), path_in("lock"));
  EXPECT_FALSE(FileLock::take(path_in("lock"), stop_.get_token()));
  EXPECT_FALSE(std::filesystem::exists(path_in("elsewhere")));
}

}  // namespace
}  // namespace tofu::base
