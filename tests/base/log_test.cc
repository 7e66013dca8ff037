#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "base/process.h"

namespace tofu::base {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(Log, OtherProgramsAreLoggedWithoutTheirArgumentsAndVariables) {
  Lines sink;
  GuardedProcess process{{"sh", "-c", "exit 3", "hush"}};
  process.environment = {{"PASSWORD", "hush"}};
  process.input = "hush";
  process.log = Log(sink, LogLevel::Debug);
  ASSERT_TRUE(run_guarded(process));
  EXPECT_THAT(sink.lines,
              ElementsAre(AllOf(HasSubstr("Started sh"), Not(HasSubstr("hush"))),
                          AllOf(HasSubstr("ended with status 3"), Not(HasSubstr("hush")))));
}

}  // namespace
}  // namespace tofu::base
