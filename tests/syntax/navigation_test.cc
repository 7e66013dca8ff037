#include "syntax/navigation.h"

#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

TEST(EnclosingBlock, IsTheHeaderOfTheOutermostOneInNativeSyntax) {
  const std::string_view text = "a = 1\nresource \"b\" c {\n  d {\n    e = 2\n  }\n}\nf {}\n";
  const ParsedText source(parse_file, text);
  EXPECT_EQ(enclosing_block(*source.file, text.find("a =")), "");
  EXPECT_EQ(enclosing_block(*source.file, text.find("resource")), "resource \"b\" \"c\"");
  EXPECT_EQ(enclosing_block(*source.file, text.find("e =")), "resource \"b\" \"c\"");
  EXPECT_EQ(enclosing_block(*source.file, text.find("f {")), "f");
}

TEST(EnclosingBlock, IsThePathToTheInnermostOneInJson) {
  const std::string_view text = R"({"a": 1, "b": {"c": [{"d": 2}, {"e": 3}]}})";
  const ParsedText source(parse_json_file, text);
  EXPECT_EQ(enclosing_block(*source.file, text.find("\"a\"")), "");
  EXPECT_EQ(enclosing_block(*source.file, text.find("\"c\"")), "b");
  EXPECT_EQ(enclosing_block(*source.file, text.find("\"e\"")), "b.c[1]");
}

}  // namespace
}  // namespace tofu::syntax
