#include "views/progress_block.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/unicode.h"

namespace tofu::views {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

plans::Subject subject(const std::string& name) {
  return {{{}, {{addrs::ResourceMode::Managed, "t", name}, {}}}};
}

plans::Event started(const std::string& name) {
  return plans::ApplyStart{subject(name), plans::Action::Create};
}
plans::Event completed(const std::string& name) {
  return plans::ApplyComplete{subject(name), plans::Action::Create};
}

// A recorded run: events, each with the second in which it happened.
class Replay {
 public:
  explicit Replay(std::size_t total) : block_(total, at(0), false) {}

  Replay& on(int second, const plans::Event& event) {
    block_.on(event, at(second));
    return *this;
  }
  std::vector<std::string> lines(int second, std::size_t width = 80, std::size_t height = 10) {
    return block_.lines(at(second), width, height);
  }

 private:
  static ProgressBlock::Time at(int second) { return ProgressBlock::Time(seconds(second)); }
  ProgressBlock block_;
};

TEST(ProgressBlock, ShowsHowFarItIsAndWhatIsRunning) {
  Replay run(4);
  run.on(0, started("a")).on(0, started("b")).on(2, completed("a"));
  EXPECT_THAT(run.lines(5), ElementsAre("[##########                              ] 1 of 4, 5s",
                                        "  t.b: creating, 5s"));
}

TEST(ProgressBlock, SaysWhatIsSlowAndWhatFailed) {
  Replay run(2);
  run.on(0, started("a")).on(1, started("b"));
  run.on(3, plans::ApplyErrored{subject("b"), plans::Action::Create});
  EXPECT_THAT(run.lines(65),
              ElementsAre("[####################                    ] 1 of 2, 1 failed, 1m5s",
                          "  t.a: creating, 1m5s (slow)"));
}

TEST(ProgressBlock, OfManyOperationsTheOldestAreShown) {
  Replay run(300);
  for (int i = 0; i < 300; ++i) run.on(i, started(fmt::format("x{}", i)));
  const auto lines = run.lines(300, 80, 4);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[1], "  t.x0: creating, 5m0s (slow)");
  EXPECT_EQ(lines[2], "  t.x1: creating, 4m59s (slow)");
  EXPECT_EQ(lines[3], "  and 298 more");
}

TEST(ProgressBlock, EveryLineFitsTheTerminal) {
  Replay run(300);
  run.on(0, started(std::string(200, 'n'))).on(0, started("\x1b[2J"));
  for (std::size_t width = 1; width <= 120; ++width) {
    for (const std::string& line : run.lines(100, width)) {
      EXPECT_LE(base::count_graphemes(line), width);
    }
    for (const std::string& line : run.lines(100, width)) {
      EXPECT_EQ(line.find('\x1b'), std::string::npos);
    }
  }
}

TEST(ProgressBlock, ANarrowTerminalHasNoBar) {
  Replay run(3);
  EXPECT_THAT(run.lines(1, 20), ElementsAre("0 of 3, 1s"));
}

TEST(ProgressBlock, AProvisionerIsNamedWhileItRuns) {
  Replay run(1);
  run.on(0, started("a")).on(1, plans::ProvisionStart{subject("a"), "local-exec"});
  EXPECT_EQ(run.lines(2)[1], "  t.a: provisioning with local-exec, 2s");
}

TEST(ProgressBlock, ReplacementsCountTwice) {
  plans::Plan plan;
  plan.changes.resize(3);
  plan.changes[0].action = plans::Action::DeleteThenCreate;
  plan.changes[1].action = plans::Action::Update;
  EXPECT_EQ(action_count(plan), 3U);
}

}  // namespace
}  // namespace tofu::views
