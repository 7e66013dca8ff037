#include "base/trim.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::base {
namespace {

using ::testing::ElementsAre;

TEST(Trim, WhiteSpaceOfUnicodeGoesAtBothEnds) {
  EXPECT_EQ(trim_space(" \t\n\u00a0\u2003a \u2003b\u3000\r\n"), "a \u2003b");
  EXPECT_EQ(trim_space("\u2028"), "");
  EXPECT_EQ(trim_space(""), "");
}

TEST(Trim, BytesThatAreNotUtf8Stay) {
  EXPECT_EQ(trim_space(" \x80\xbf "), "\x80\xbf");
  EXPECT_EQ(trim_space("\xe2\x80"), "\xe2\x80");  // a white space that was cut off
}

TEST(Trim, OneEndIsTrimmedAlone) {
  const auto is_e = [](char32_t code) { return code == U'é'; };
  EXPECT_EQ(trim_start("ééaé", is_e), "aé");
  EXPECT_EQ(trim_end("éaéé", is_e), "éa");
  EXPECT_EQ(trim("éaé", is_e), "a");
}

TEST(Split, GivesEveryPartAlsoEmptyOnes) {
  EXPECT_THAT(split("a//b/", '/'), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", '/'), ElementsAre(""));
}

}  // namespace
}  // namespace tofu::base
