#include "base/shell_text.h"

#include <gtest/gtest.h>

namespace tofu::base {
namespace {

TEST(ShellText, IsOneWordWhateverItContains) {
  EXPECT_EQ(shell_quoted("a.b"), "'a.b'");
  EXPECT_EQ(shell_quoted(R"(a.b["$(x) `y`"])"), R"('a.b["$(x) `y`"]')");
  EXPECT_EQ(shell_quoted("it's"), R"('it'\''s')");
  EXPECT_EQ(shell_quoted("';x;'"), R"(''\'';x;'\''')");
  EXPECT_EQ(shell_quoted(""), "''");
}

TEST(ShellText, IsQuotedOnlyWhereAShellWouldReadMoreIntoIt) {
  EXPECT_EQ(shell_word("6c1b-33_x./:=@%+,"), "6c1b-33_x./:=@%+,");
  for (const char* text : {"", "a b", "$x", "~", "a;b", "*", "a\nb", "\xc3\xa4"}) {
    EXPECT_EQ(shell_word(text), shell_quoted(text)) << text;
  }
}

}  // namespace
}  // namespace tofu::base
