#include "providers/plugin_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::providers {
namespace {

using base::LogLevel;
using testing::ElementsAre;
using testing::Pair;

class Lines final : public base::LogSink {
 public:
  void write(LogLevel level, std::string_view text) override { all.emplace_back(level, text); }
  std::vector<std::pair<LogLevel, std::string>> all;
};

TEST(PluginLog, TakesLevelMessageAndFieldsFromJson) {
  const PluginLogLine line = parse_plugin_log(
      R"({"@level":"warn","@message":"slow","@timestamp":"2026-01-01","@module":"six","n":[1,2]})");
  EXPECT_EQ(line.level, LogLevel::Warn);
  EXPECT_EQ(line.text, "slow: @module=six n=[1,2]");
}

TEST(PluginLog, TakesTheLevelOfPlainTextFromItsMark) {
  EXPECT_EQ(parse_plugin_log("2026/01/01 [ERROR] it broke").level, LogLevel::Error);
  EXPECT_EQ(parse_plugin_log("2026/01/01 [ERROR] it broke").text, "it broke");
  EXPECT_EQ(parse_plugin_log("just so").level, LogLevel::Debug);
  EXPECT_EQ(parse_plugin_log(R"({"no":"log"})").text, R"({"no":"log"})");
  EXPECT_EQ(parse_plugin_log("{broken").text, "{broken");
}

TEST(PluginLog, WritesWholeLinesWithTheNameOfThePlugin) {
  Lines lines;
  PluginLog log("fake", base::Log(lines, LogLevel::Info));
  log.receive("[INFO] on");
  log.receive("e\n[DEBUG] hidden\n[WARN] two");
  log.end();
  EXPECT_THAT(lines.all, ElementsAre(Pair(LogLevel::Info, "provider.fake: one"),
                                     Pair(LogLevel::Warn, "provider.fake: two")));
}

TEST(PluginLog, KeepsTheLastLinesAndAPanicFromItsBeginning) {
  PluginLog log("fake", {});
  for (int i = 0; i < 50; ++i) log.receive("line " + std::to_string(i) + "\n");
  EXPECT_TRUE(log.last_lines().ends_with("line 48\nline 49\n"));
  EXPECT_EQ(log.last_lines().find("line 3\n"), std::string::npos);
  log.receive("panic: oh no\n\ngoroutine 1 [running]:\n");
  for (int i = 0; i < 50; ++i) log.receive("frame " + std::to_string(i) + "\n");
  EXPECT_TRUE(log.last_lines().starts_with("panic: oh no\ngoroutine 1 [running]:\nframe 0\n"));
  EXPECT_EQ(log.last_lines().find("frame 49"), std::string::npos);
}

TEST(PluginLog, CutsALineThatDoesNotEnd) {
  PluginLog log("fake", {});
  for (int i = 0; i < 100; ++i) log.receive(std::string(10000, 'x'));
  log.end();
  EXPECT_LT(log.last_lines().size(), 3000U);
  EXPECT_TRUE(log.last_lines().ends_with("…\n"));
}

}  // namespace
}  // namespace tofu::providers
