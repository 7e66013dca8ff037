#include "providers/schema_cache.h"

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace tofu::providers {
namespace {

class SchemaCacheTest : public testing::Test {
 protected:
  SchemaCacheTest() { std::filesystem::remove_all(directory_); }
  ~SchemaCacheTest() override { std::filesystem::remove_all(directory_); }

  std::string directory_ = testing::TempDir() + "/schema-cache-" +
                           testing::UnitTest::GetInstance()->current_test_info()->name();
  SchemaCache cache_{directory_};
};

TEST_F(SchemaCacheTest, GivesBackWhatWasKept) {
  EXPECT_FALSE(cache_.find("h1:a/b="));
  cache_.keep("h1:a/b=", own_schema(5, "schema", "identities"));
  const auto found = cache_.find("h1:a/b=");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->protocol, 5);
  EXPECT_EQ(found->schema, "schema");
  EXPECT_EQ(found->identities, "identities");
  EXPECT_FALSE(cache_.find("h1:A/b="));
}

TEST_F(SchemaCacheTest, RemovesWhatKilledRunsLeftBehind) {
  const pid_t ended = ::fork();
  if (ended == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
  std::filesystem::create_directories(directory_);
  const std::string left = directory_ + "/key.tmp" + std::to_string(ended) + "-0";
  ASSERT_TRUE(base::write_file(left, "half"));
  std::filesystem::last_write_time(
      left, std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));

  cache_.keep("key", own_schema(6, "schema", ""));
  EXPECT_TRUE(cache_.find("key"));
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST_F(SchemaCacheTest, KeepsNothingWithoutAKeyOrADirectory) {
  cache_.keep("", own_schema(6, "schema", ""));
  EXPECT_FALSE(cache_.find(""));
  const SchemaCache none("");
  none.keep("h1:x", own_schema(6, "schema", ""));
  EXPECT_FALSE(none.find("h1:x"));
}

TEST_F(SchemaCacheTest, IgnoresFilesThatDoNotFit) {
  cache_.keep("x", own_schema(6, "schema", "identities"));
  const auto whole = base::read_file(directory_ + "/x");
  ASSERT_TRUE(whole);
  for (const std::string& wrong :
       {std::string(), std::string("short"), whole->substr(0, whole->size() - 1), *whole + "x",
        "X" + whole->substr(1)}) {
    ASSERT_TRUE(base::write_file(directory_ + "/x", wrong));
    EXPECT_FALSE(cache_.find("x"));
  }
  ASSERT_TRUE(base::write_file(directory_ + "/x", *whole));
  EXPECT_TRUE(cache_.find("x"));
}

TEST_F(SchemaCacheTest, IgnoresAFileInWhichAByteChanged) {
  cache_.keep("x", own_schema(6, "schema", "identities"));
  const auto whole = base::read_file(directory_ + "/x");
  ASSERT_TRUE(whole);
  for (std::size_t at = 0; at < whole->size(); ++at) {
    std::string changed = *whole;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    ASSERT_TRUE(base::write_file(directory_ + "/x", changed));
    EXPECT_FALSE(cache_.find("x")) << at;
  }
}

TEST_F(SchemaCacheTest, IgnoresTheFileOfAnotherKey) {
  cache_.keep("x", own_schema(6, "schema", "identities"));
  std::filesystem::rename(directory_ + "/x", directory_ + "/y");
  EXPECT_FALSE(cache_.find("y"));
}

}  // namespace
}  // namespace tofu::providers
