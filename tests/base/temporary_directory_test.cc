#include "base/temporary_directory.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>

namespace tofu::base {
namespace {

TEST(TemporaryDirectory, GoesWithAllThatIsInIt) {
  std::string path;
  {
    const auto made = TemporaryDirectory::make(testing::TempDir(), "tofu-test");
    ASSERT_TRUE(made);
    path = made->path();
    std::filesystem::create_directories(path + "/a/b");
    std::ofstream(path + "/a/b/file") << "text";
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, StaysUntilTheLastOwnerGoes) {
  auto made = TemporaryDirectory::make(testing::TempDir(), "tofu-test");
  ASSERT_TRUE(made);
  const std::string path = made->path();
  {
    const TemporaryDirectory moved = std::move(*made);
    EXPECT_TRUE(std::filesystem::exists(path));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, SaysWhereNoneCanBeMade) {
  const auto made = TemporaryDirectory::make("/nowhere", "tofu-test");
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().what, "no directory can be made in /nowhere: No such file or directory");
}

}  // namespace
}  // namespace tofu::base
