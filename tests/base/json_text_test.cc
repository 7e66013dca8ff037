#include "base/json_text.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

std::string quoted(std::string_view text, bool escape_html = true) {
  std::string out;
  append_json_string(out, text, escape_html);
  return out;
}

TEST(JsonText, EscapesLikeGo) {
  EXPECT_EQ(quoted(""), R"("")");
  EXPECT_EQ(quoted("a\"b\\c/"), R"("a\"b\\c/")");
  EXPECT_EQ(quoted("\b\f\n\r\t"), R"("\b\f\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(quoted("héllo 😀"), "\"héllo 😀\"");
  EXPECT_EQ(quoted("\u2028\u2029"), R"("\u2028\u2029")");
}

TEST(JsonText, EscapesWhereverItIsInALongString) {
  for (std::size_t before = 0; before < 70; ++before) {
    const std::string head(before, 'x');
    const std::string tail(70 - before, 'y');
    std::string out;
    append_json_string(out, head + "\n\"\xC3\xA9<\xFF\xE2\x80\xA8" + tail);
    EXPECT_EQ(out, "\"" + head + "\\n\\\"\xC3\xA9\\u003c\\ufffd\\u2028" + tail + "\"");
  }
}

TEST(JsonText, EscapesHtmlOnlyWhenAsked) {
  EXPECT_EQ(quoted("<a>&"), R"("\u003ca\u003e\u0026")");
  EXPECT_EQ(quoted("<a>&", false), R"("<a>&")");
}

TEST(JsonText, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_EQ(quoted("a\xff\xc3z"), R"("a\ufffd\ufffdz")");
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(quoted("\uFFFD"), "\"\uFFFD\"");
}

TEST(JsonText, ReadsEscapesAndSaysWhereTheyAreWrong) {
  const struct {
    std::string_view text;  // behind the backslash
    JsonEscape how;
    std::string_view out;
    std::size_t at;
  } cases[] = {
      {"n", JsonEscape::Read, "\n", 1},
      {"/x", JsonEscape::Read, "/", 1},
      {"u00e9", JsonEscape::Read, "\u00e9", 5},
      {"ud83d\\uDE00!", JsonEscape::Read, "\U0001F600", 11},
      {"ud83d\\u0041", JsonEscape::Read, "\uFFFD", 5},
      {"ud83d\\uDE0", JsonEscape::Read, "\uFFFD", 5},
      {"ude00\\ud83d", JsonEscape::Read, "\uFFFD", 5},
      {"x", JsonEscape::Unknown, "", 0},
      {"", JsonEscape::Unknown, "", 0},
      {"u12g4", JsonEscape::BadDigit, "", 3},
      {"u12", JsonEscape::BadDigit, "", 3},
  };
  for (const auto& [text, how, out, at] : cases) {
    std::string read;
    std::size_t behind = 0;
    EXPECT_EQ(read_json_escape(text, behind, read), how) << text;
    EXPECT_EQ(read, out) << text;
    EXPECT_EQ(behind, at) << text;
  }
}

}  // namespace
}  // namespace tofu::base
