#include "base/ascii.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(Ascii, LettersAndDigitsAreThoseOfAsciiAlone) {
  for (int c = -128; c < 128; ++c) {
    const char byte = static_cast<char>(c);
    EXPECT_EQ(is_ascii_digit(byte), std::string_view("0123456789").find(byte) != std::string::npos);
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    EXPECT_EQ(is_ascii_letter(byte), is_letter) << c;
    EXPECT_EQ(is_ascii_alphanumeric(byte), is_letter || is_ascii_digit(byte)) << c;
  }
  EXPECT_FALSE(is_ascii_letter(U'\u0141'));  // its last byte is that of A
}

TEST(Ascii, CaseChangesLettersOfAsciiOnly) {
  EXPECT_EQ(ascii_lower("X-Ärger[09]Z"), "x-Ärger[09]z");
  EXPECT_EQ(ascii_upper("x-ärger{09}z"), "X-äRGER{09}Z");
  EXPECT_TRUE(equal_ignoring_case("Content-Type", "content-tYPE"));
  EXPECT_FALSE(equal_ignoring_case("Content-Type", "Content-Typ"));
  EXPECT_FALSE(equal_ignoring_case("[", "{"));
}

TEST(Ascii, BlanksGoAtBothEndsAndStayInside) {
  EXPECT_EQ(trimmed(" \t\r\n\v\fa b \n"), "a b");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed(" \n "), "");
  EXPECT_EQ(trimmed("\n a\n", " "), "\n a\n");
}

}  // namespace
}  // namespace tofu::base
