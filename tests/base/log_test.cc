#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tofu::base {
namespace {

using ::testing::ElementsAre;

class Lines final : public LogSink {
 public:
  void write(LogLevel, std::string_view text) override { lines.emplace_back(text); }
  std::vector<std::string> lines;
};

TEST(Log, ALineThatNobodyWantsIsNotMade) {
  int made = 0;
  const auto make = [&] { return std::to_string(++made); };
  const Log off;
  off.trace(make);
  off.warn(make);
  EXPECT_EQ(made, 0);

  Lines sink;
  const Log log(sink, LogLevel::Info);
  log.trace(make);
  log.debug(make);
  log.info(make);
  log.warn(make);
  EXPECT_THAT(sink.lines, ElementsAre("1", "2"));
}

TEST(Log, NothingIsWantedFromALogThatIsOff) {
  Lines sink;
  const Log log(sink, LogLevel::Off);
  EXPECT_FALSE(log.wants(LogLevel::Error));
  EXPECT_FALSE(log.wants(LogLevel::Off));
}

}  // namespace
}  // namespace tofu::base
