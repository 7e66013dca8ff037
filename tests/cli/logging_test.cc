#include "cli/logging.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/cli/test_directory.h"

namespace tofu::cli {
namespace {

using base::LogLevel;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

class LoggingTest : public ::testing::Test {
 protected:
  // What the log at TF_LOG_PATH has after one line of each level.
  std::string logged(const std::string& core, const std::string& provider) {
    world_.environment.variables["TF_LOG_PATH"] = "log";
    std::filesystem::remove("log");
    Output err(said_);
    Logging logging(world_.environment, err);
    logging.core().trace([&] { return core + " trace"; });
    logging.core().warn([&] { return core + " warn"; });
    logging.provider().trace([&] { return provider + " trace"; });
    logging.provider().warn([&] { return provider + " warn"; });
    return TestDirectory::read("log");
  }

  TestDirectory world_;
  std::string said_;
};

TEST_F(LoggingTest, IsOffUnlessItIsAskedFor) {
  EXPECT_EQ(logged("core", "provider"), "");
  EXPECT_FALSE(std::filesystem::exists("log"));
}

TEST_F(LoggingTest, TheLevelIsTheLeastThatIsWritten) {
  world_.environment.variables["TF_LOG"] = "warn";
  EXPECT_EQ(logged("core", "provider"),
            "2023-11-14T22:13:20.000000Z [WARN]  core warn\n"
            "2023-11-14T22:13:20.000000Z [WARN]  provider warn\n");
}

TEST_F(LoggingTest, CoreAndProvidersHaveLevelsOfTheirOwn) {
  world_.environment.variables["TF_LOG_PROVIDER"] = "TRACE";
  EXPECT_THAT(logged("core", "provider"),
              AllOf(Not(HasSubstr("core")), HasSubstr("provider trace")));
  world_.environment.variables["TF_LOG_PROVIDER"] = "OFF";
  world_.environment.variables["TF_LOG"] = "TRACE";
  EXPECT_THAT(logged("core", "provider"),
              AllOf(HasSubstr("core trace"), Not(HasSubstr("provider"))));
  world_.environment.variables.erase("TF_LOG");
  world_.environment.variables.erase("TF_LOG_PROVIDER");
  world_.environment.variables["TF_LOG_CORE"] = "WARN";
  EXPECT_THAT(logged("core", "provider"),
              AllOf(HasSubstr("core warn"), Not(HasSubstr("provider"))));
}

TEST_F(LoggingTest, JsonIsEverythingOneObjectPerLine) {
  world_.environment.variables["TF_LOG"] = "json";
  EXPECT_THAT(logged("core", "provider"),
              HasSubstr("{\"@level\":\"trace\",\"@message\":\"core trace\","
                        "\"@timestamp\":\"2023-11-14T22:13:20.000000Z\"}\n"));
}

TEST_F(LoggingTest, AWordThatIsNotALevelIsReportedAndMeansEverything) {
  world_.environment.variables["TF_LOG"] = "loud";
  EXPECT_THAT(logged("core", "provider"), HasSubstr("core trace"));
  EXPECT_THAT(said_, HasSubstr("TF_LOG is \"LOUD\", which is not a log level"));
}

TEST_F(LoggingTest, AFileIsItsOwnersAloneAndIsAppendedTo) {
  world_.environment.variables["TF_LOG"] = "info";
  logged("core", "provider");
  struct stat info {};
  ASSERT_EQ(::stat("log", &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  Output err(said_);
  Logging(world_.environment, err).core().info([] { return std::string("more"); });
  EXPECT_THAT(TestDirectory::read("log"), AllOf(HasSubstr("core warn\n"), HasSubstr("more\n")));
}

TEST_F(LoggingTest, AFileThatCannotBeOpenedIsReported) {
  world_.environment.variables["TF_LOG"] = "off";
  world_.environment.variables["TF_LOG_PATH"] = "missing/log";
  Output err(said_);
  const Logging off(world_.environment, err);
  EXPECT_EQ(said_, "");
  world_.environment.variables["TF_LOG"] = "error";
  const Logging on(world_.environment, err);
  EXPECT_THAT(said_, HasSubstr("missing/log"));
}

TEST(LogLine, WhatComesFromOutsideCannotLookLikeALineOfItsOwn) {
  EXPECT_EQ(log_line_text("now", LogLevel::Info, "a\nnow [ERROR] b\x1b[0m"),
            "now [INFO]  a\\nnow [ERROR] b\\x1b[0m\n");
  EXPECT_EQ(log_line_text("now", LogLevel::Info, "\u009b31m\u202e"),
            "now [INFO]  \\u009B31m\\u202E\n");
}

}  // namespace
}  // namespace tofu::cli
