#include <gtest/gtest.h>

#include "functions/regex_pattern.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(Regex, GroupsDecideTheTypeOfTheResult) {
  expect_same({
      {R"~(regex("[a-z]+", "12ab3"))~", R"~("ab")~"},
      {R"~(regex("(\\d+)-(x)?", "12-"))~", R"~(["12", tostring(null)])~"},
      {R"~(regex("(?P<year>\\d+)-(?<month>\\d+)", "2024-05"))~",
       R"~({year = "2024", month = "05"})~"},
      {R"~(regex("(?P<a>x)|(?P<a>y)", "y"))~", R"~({a = "y"})~"},
      {R"~(regexall(".", urldecode("a%ffb")))~", R"~(tolist(["a", urldecode("%ff"), "b"]))~"},
      {R"~(regexall("[^a]", urldecode("%e2%82a%ff")))~",
       R"~(tolist([urldecode("%e2"), urldecode("%82"), urldecode("%ff")]))~"},
      {R"~(replace(urldecode("a%ffb"), "/[^a]/", "-"))~", R"~("a--")~"},
      {R"~(regex("b.", urldecode("%ffb%fe")))~", R"~(urldecode("b%fe"))~"},
      {R"~(regexall("a*", "baac"))~", R"~(tolist(["", "aa", ""]))~"},
      {R"~(regexall("(a)(b)?", "aba"))~", R"~(tolist([["a", "b"], ["a", tostring(null)]]))~"},
      {R"~(regexall("x", "abc"))~", R"~(slice(tolist(["a"]), 0, 0))~"},
      {R"~(regexall("", ""))~", R"~(tolist([""]))~"},
      {R"~(regexall("^a|b", "aab"))~", R"~(tolist(["a", "b"]))~"},
      {R"~(regex("é.", "xéy"))~", R"~("éy")~"},
  });
}

TEST(Regex, GoSyntaxIsUnderstood) {
  expect_same({
      {R"~(regex("\\p{Letter}+", "1abé2"))~", R"~("abé")~"},
      {R"~(regex("\\p{greek}+", "aαβγ"))~", R"~("αβγ")~"},
      {R"~(regex("\\p{^L}+", "ab12"))~", R"~("12")~"},
      {R"~(regex("[\\p{lu}_]+", "aB_c"))~", R"~("B_")~"},
      {R"~(regex("\\P{ASCII}+", "aéb"))~", R"~("é")~"},
      {R"~(regex("\\p{LC}+", "1aB"))~", R"~("aB")~"},
      {R"~(regex("\\Qa.(b\\E+", "a.(bb"))~", R"~("a.(bb")~"},
      {R"~(regex("[[:alpha:]](?i)X\\z", "aax"))~", R"~("ax")~"},
      {R"~(regex("[](]", "(]"))~", R"~("(")~"},
  });
}

TEST(Regex, FaultsPointAtThePatternOrTheCall) {
  expect_faults({
      R"~(regex(«"a("», "a"))~",
      R"~(regexall(«"[a"», "a"))~",
      R"~(regex(«"\\C"», "a"))~",
      R"~(regex(«"(?P<é>a)"», "a"))~",
      R"~(regex(«"(?<>a)"», "a"))~",
      R"~(regex(«"(?P<a>b)(c)"», "bc"))~",
      R"~(regex(«"\\p{Nothing}"», "a"))~",
      R"~(regex(«"(?=a)"», "a"))~",
      R"~(regex(«"a{1001}"», "a"))~",
      R"~(«regex(»"x", "abc"))~",
      R"~(«replace(»"abc", "/(/", ""))~",
  });
}

TEST(Replace, TextAndPatterns) {
  expect_same({
      {R"~(replace("abab", "b", "-"))~", R"~("a-a-")~"},
      {R"~(replace("aé", "", "-"))~", R"~("-a-é-")~"},
      {R"~(replace("abc", "/", "-"))~", R"~("abc")~"},
      {R"~(replace("abc", "//", "-"))~", R"~("-a-b-c-")~"},
      {R"~(replace("baac", "/a*/", "-"))~", R"~("-b-c-")~"},
      {R"~(replace("abc", "/(b)/", "$1x"))~", R"~("ac")~"},
      {R"~(replace("abc", "/(b)/", "$${1}x"))~", R"~("abxc")~"},
      {R"~(replace("abc", "/(?P<n>b)/", "[$n$${n}$$1$]"))~", R"~("a[bb$1$]c")~"},
      {R"~(replace("abc", "/(x)?b/", "<$1$2>"))~", R"~("a<>c")~"},
      {R"~(replace("abc", "/(b)/", "$01"))~", R"~("ac")~"},
      {R"~(replace("Aᄀ", "/\\B/", "-"))~", R"~("Aᄀ-")~"},
  });
}

TEST(Pattern, IsCompiledOnceAndKept) {
  PatternCache cache;

  const auto first = cache.compile("a+");
  const auto second = cache.compile("a+");
  const auto bad = cache.compile("a(");

  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->get(), second->get());
  EXPECT_FALSE(bad);
}

}  // namespace
}  // namespace tofu::functions
