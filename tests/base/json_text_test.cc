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

TEST(JsonText, EscapesHtmlOnlyWhenAsked) {
  EXPECT_EQ(quoted("<a>&"), R"("\u003ca\u003e\u0026")");
  EXPECT_EQ(quoted("<a>&", false), R"("<a>&")");
}

TEST(JsonText, ReplacesEachByteThatIsNotUtf8) {
  EXPECT_EQ(quoted("a\xff\xc3z"), R"("a\ufffd\ufffdz")");
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(quoted("\uFFFD"), "\"\uFFFD\"");
}

}  // namespace
}  // namespace tofu::base
