#include "diag/wrap.h"

#include <gtest/gtest.h>

namespace tofu::diag {
namespace {

TEST(WrapText, BreaksAtWhiteSpaceOnly) {
  EXPECT_EQ(wrap_text("one two three", 7), "one two\nthree");
  EXPECT_EQ(wrap_text("one  two", 5), "one\ntwo");
  EXPECT_EQ(wrap_text("ab\u00a0cd ef", 5), "ab\u00a0cd\nef");
  EXPECT_EQ(wrap_text("äöü äöü", 3), "äöü\näöü");
}

TEST(WrapText, LeavesLongWordsWhole) {
  EXPECT_EQ(wrap_text("abcdefghij kl", 5), "abcdefghij\nkl");
  EXPECT_EQ(wrap_text("a bcdefghij", 5), "a\nbcdefghij");
}

TEST(WrapText, KeepsParagraphsAndIndentedLines) {
  EXPECT_EQ(wrap_text("aa bb\n\n    code stays as it is\ncc dd", 3),
            "aa\nbb\n\n    code stays as it is\ncc\ndd");
}

TEST(WrapText, DropsTrailingSpaceThatDoesNotFit) {
  EXPECT_EQ(wrap_text("abc  ", 4), "abc");
  EXPECT_EQ(wrap_text("abc ", 4), "abc ");
}

TEST(WrapText, DoesNothingWithoutAWidth) {
  EXPECT_EQ(wrap_text("one two three", 0), "one two three");
  EXPECT_EQ(wrap_text("one two three", -2), "one two three");
}

TEST(ControlCharacters, BecomePictures) {
  EXPECT_EQ(safe_for_terminal("a\x1b[31mb\x07\x7f"), "a␛[31mb␇␡");
  EXPECT_EQ(safe_for_terminal(std::string_view("\0", 1)), "␀");
  EXPECT_EQ(safe_for_terminal("a\tb\r\nü"), "a\tb\r\nü");
  EXPECT_EQ(safe_for_terminal("a\rb\r"), "a␍b␍");
}

TEST(ControlCharacters, OfHigherCodesAndDirectionsAreSpelled) {
  EXPECT_EQ(safe_for_terminal("a\u009b31mb"), "a\\u009B31mb");
  EXPECT_EQ(safe_for_terminal("a\u202eb\u2069\u061c\u200f"), "a\\u202Eb\\u2069\\u061C\\u200F");
  EXPECT_EQ(safe_for_terminal("a\x9b"
                              "b"),
            "a\uFFFDb");
  EXPECT_EQ(safe_for_terminal("日本 e\u0301 \u200d"), "日本 e\u0301 \u200d");
}

TEST(ControlCharacters, AreEscapesInJson) {
  EXPECT_EQ(json_safe_for_terminal(R"({"a":"b\u001b"})"), R"({"a":"b\u001b"})");
  EXPECT_EQ(json_safe_for_terminal("\"a\x7f\u009b\u202e\u2066ü日\""),
            "\"a\\u007F\\u009B\\u202E\\u2066ü日\"");
}

}  // namespace
}  // namespace tofu::diag
