#include "cli/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> words(std::string_view text) {
  auto split = split_words(text);
  EXPECT_TRUE(split.ok()) << text;
  return split ? *split : std::vector<std::string>();
}

TEST(ShellWords, BlanksSeparate) {
  EXPECT_THAT(words("  -a\t-b \n c "), ElementsAre("-a", "-b", "c"));
  EXPECT_THAT(words(""), IsEmpty());
}

TEST(ShellWords, QuotesAndBackslashesKeepThingsTogether) {
  EXPECT_THAT(words(R"(-var 'a=b c' "x y" d\ e)"), ElementsAre("-var", "a=b c", "x y", "d e"));
  EXPECT_THAT(words(R"(a"b"'c')"), ElementsAre("abc"));
  EXPECT_THAT(words("''"), ElementsAre(""));
}

TEST(ShellWords, UnfinishedTextIsAnError) {
  EXPECT_FALSE(split_words("'a").ok());
  EXPECT_FALSE(split_words("a\\").ok());
}

}  // namespace
}  // namespace tofu::cli
