#include "commands/console_input.h"

#include <gtest/gtest.h>

namespace tofu::commands {
namespace {

TEST(ConsoleInput, AFinishedLineIsAnExpression) {
  ConsoleInput input;

  EXPECT_EQ(input.add_line("1 + 1"), 0);
  EXPECT_EQ(input.take(), "1 + 1");
}

TEST(ConsoleInput, OpenBracketsAskForMoreLines) {
  ConsoleInput input;

  EXPECT_EQ(input.add_line("foo([{"), 3);
  EXPECT_EQ(input.add_line("a = 1"), 3);
  EXPECT_EQ(input.add_line("}])"), 0);
  EXPECT_EQ(input.take(), "foo([{\na = 1\n}])");
}

TEST(ConsoleInput, BracketsInsideStringsDoNotCount) {
  ConsoleInput input;

  EXPECT_EQ(input.add_line("\"(((\""), 0);
}

TEST(ConsoleInput, ATrailingBackslashContinuesTheLine) {
  ConsoleInput input;

  EXPECT_EQ(input.add_line("1 +\\"), 1);
  EXPECT_EQ(input.add_line("1"), 0);
  EXPECT_EQ(input.take(), "1 +\n1");
}

TEST(ConsoleInput, ASurplusClosingBracketEndsTheExpression) {
  ConsoleInput input;

  EXPECT_LT(input.add_line("1)"), 0);
  EXPECT_EQ(input.take(), "1)");
}

}  // namespace
}  // namespace tofu::commands
