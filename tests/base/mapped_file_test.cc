#include "base/mapped_file.h"

#include <gtest/gtest.h>
#include <string>

#include "base/file.h"

namespace tofu::base {
namespace {

TEST(MappedFile, HasTheContentOfTheFile) {
  const std::string path = testing::TempDir() + "/mapped";
  ASSERT_TRUE(write_file(path, "some text"));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE(write_file(path, "another"));  // replaces the file, not its content
  EXPECT_EQ((*file)->content(), "some text");
}

TEST(MappedFile, MayBeEmptyButNotMissingOrADirectory) {
  const std::string path = testing::TempDir() + "/mapped-empty";
  ASSERT_TRUE(write_file(path, ""));
  const auto file = MappedFile::open(path);
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->content(), "");
  EXPECT_FALSE(MappedFile::open(path + "/none"));
  EXPECT_FALSE(MappedFile::open(testing::TempDir()));
}

}  // namespace
}  // namespace tofu::base
