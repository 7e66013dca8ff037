#include <gtest/gtest.h>
#include <string>

#include "functions/yaml_decode.h"
#include "functions/yaml_encode.h"
#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(YamlDecode, PlainWordsAndNumbersFollowYaml11) {
  expect_same({
      {R"(yamldecode("[y, Yes, ON, true, n, No, off, FALSE, tRUE]"))",
       R"([true, true, true, true, false, false, false, false, "tRUE"])"},
      {R"(yamldecode("[~, null, NULL, '', \"\"]"))", R"([null, null, null, "", ""])"},
      {R"(yamldecode("[10, 010, 0o17, 0x1F, -0x1F, 1_000, +1, 5., .5, 1e3]"))",
       R"([10, 10, 15, 31, "-0x1F", "1_000", 1, 5, 0.5, 1000])"},
      {R"(yamldecode("[.inf, -.INF]"))", "[1/0, -1/0]"},
      {R"(yamldecode("0xffffffffffffffff"))", "18446744073709551615"},
      {R"(yamldecode("[2001-1-4, 2001-12-14t21:59:43.1-05:00, 2001-12-14 21:59:43, 2001-2-30]"))",
       R"(["2001-01-04T00:00:00Z", "2001-12-14T21:59:43-05:00", "2001-12-14T21:59:43Z",
           "2001-2-30"])"},
  });
}

TEST(YamlDecode, AByteOrderMarkIsNotPartOfTheText) {
  expect_same({
      {R"(yamldecode("\ufeffa: 1\nb: 2"))", "{ a = 1, b = 2 }"},
      {R"(yamldecode("\ufeff---\na: 1\n"))", "{ a = 1 }"},
      {R"(yamldecode("\ufeff%YAML 1.1\n---\n- 1\n"))", "[1]"},
      {R"(yamldecode("\ufeff\ufeffa: 1"))", "{ a = 1 }"},
      {R"(yamldecode("\"\ufeff\""))", R"("\ufeff")"},
  });
}

TEST(YamlDecode, TagsChooseTheType) {
  expect_same({
      {R"(yamldecode("[!!str 5, !!int 1_0, !!float 2, !!null x, !!binary aGk=]"))",
       R"(["5", 10, 2, null, "aGk="])"},
      // Quotes and words win over a tag.
      {R"(yamldecode("[!!int '5', !!int yes]"))", R"(["5", true])"},
  });
  expect_faults({
      R"(«yamldecode(»"!!int abc"))",
      R"(«yamldecode(»"!!binary a"))",
      R"(«yamldecode(»"!foo bar"))",
      R"(«yamldecode(»"! 5"))",
      R"(«yamldecode(»"!!map [1]"))",
      R"(«yamldecode(»".nan"))",
  });
}

TEST(YamlDecode, ABlockIsTextButReadLikeAnyScalarFirst) {
  expect_same({
      {R"(yamldecode("|-\n 0x10"))", R"("16")"},
      {R"(yamldecode("|-\n yes"))", R"("true")"},
      {R"(yamldecode("|\n a\n b\n"))", R"("a\nb\n")"},
      {R"(yamldecode(">-\n a\n b\n"))", R"("a b")"},
  });
}

TEST(YamlDecode, AnchorsAliasesAndMergeKeys) {
  expect_same({
      {R"(yamldecode("a: &x {p: 1}\nb: *x\nc: {<<: *x, q: 2}"))",
       "{a = {p = 1}, b = {p = 1}, c = {p = 1, q = 2}}"},
      {R"(yamldecode("{<<: [{a: 1}, {a: 2, b: 3}], b: 4}"))", "{a = 2, b = 4}"},
      // What is merged replaces what stood before it.
      {R"(yamldecode("{a: 2, <<: {a: 1}}"))", "{a = 1}"},
      {R"(yamldecode("{true: 1, 1.0: 2, 0x10: 3}"))", R"({"true" = 1, "1" = 2, "16" = 3})"},
  });
  expect_faults({
      R"(«yamldecode(»"*x"))",
      R"(«yamldecode(»"&a [*a]"))",
      R"(«yamldecode(»"{<<: 5}"))",
      R"(«yamldecode(»"{<<: [5]}"))",
      R"(«yamldecode(»"{~: 1}"))",
      R"(«yamldecode(»"{[1]: 1}"))",
      R"(«yamldecode(»"{&a k: 1, b: *a}"))",
  });
}

TEST(YamlDecode, OneDocumentOfYaml11) {
  expect_same({{R"(yamldecode("--- 1\n..."))", "1"}, {R"(yamldecode("%YAML 1.1\n--- 1"))", "1"}});
  expect_faults({
      R"(«yamldecode(»""))",
      R"(«yamldecode(»"# only a comment"))",
      R"(«yamldecode(»"1\n---\n2"))",
      R"(«yamldecode(»"%YAML 1.2\n--- 1"))",
      R"(«yamldecode(»"a: [1"))",
  });
}

TEST(YamlDecode, DiffersFromLibyamlWhereGoDoes) {
  expect_same({
      {R"(yamldecode("[a:, {b:}]"))", R"(["a:", {"b:" = null}])"},
      {R"(yamldecode("a?b"))", R"("a?b")"},
  });
  expect_faults({R"(«yamldecode(»"[a?b]"))", R"(«yamldecode(»"\"a\\/b\""))"});
}

TEST(YamlDecode, AliasesCannotMultiplyASmallText) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string below = "*a" + std::to_string(i - 1);
    bomb += name + ": &" + name + " [";
    for (int k = 0; k < 10; ++k) bomb += below + ", ";
    bomb += "]\n";
  }
  EXPECT_FALSE(parse_yaml(bomb).ok());
}

TEST(YamlDecode, DeepNestingIsAnError) {
  EXPECT_TRUE(parse_yaml(std::string(900, '[') + std::string(900, ']')).ok());
  EXPECT_FALSE(parse_yaml(std::string(100'000, '[')).ok());
  std::string block;
  for (int i = 0; i < 2'000; ++i) block += "- ";
  EXPECT_FALSE(parse_yaml(block).ok());
}

struct YamlRow {
  std::string_view expression;
  std::string_view text;
};

TEST(YamlEncode, WritesTheSameTextAsOpenTofu) {
  const std::string words = "x" + std::string(80, 'y') + " fold here";
  const YamlRow rows[] = {
      {"null", "null\n...\n"},
      {"1.5", "1.5\n...\n"},
      {R"("a")", "\"a\"\n"},
      {R"("")", "\"\"\n"},
      {"[]", "[]\n"},
      {"{}", "{}\n"},
      {R"([1, [2, {a = 3, b = []}], {}])", "- 1\n- - 2\n  - \"a\": 3\n    \"b\": []\n- {}\n"},
      {R"({a = [1, 2], b = {c = "x"}})", "\"a\":\n- 1\n- 2\n\"b\":\n  \"c\": \"x\"\n"},
      {R"({a = "x\ny\n", b = 1})", "\"a\": |\n  x\n  y\n\"b\": 1\n"},
      {R"(["x\ny", "x\n\n", " x\n", "x \ny"])",
       "- |-\n  x\n  y\n- |+\n  x\n\n- |2\n   x\n- \"x \\ny\"\n"},
      {R"("👋é\t\"\\\u0000\u0085")", "\"\\U0001F44Bé\\t\\\"\\\\\\0\\N\"\n"},
      {R"({"x\ny" = 1})", "? |-\n  x\n  y\n: 1\n"},
      {R"("\ufeffa")", "\"\\uFEFF\\x61\"\n"},
      {"[true, null, -0.5]", "- true\n- null\n- -0.5\n"},
  };
  Evaluation evaluation;
  for (const auto& [expression, text] : rows) {
    const Evaluated got = evaluation.run("yamlencode(" + std::string(expression) + ")");
    ASSERT_TRUE(got.value) << got.message;
    EXPECT_EQ(got.value->plain().as_string(), text) << expression;
  }
  const auto folded = to_yaml(value::Value::string(words));
  EXPECT_EQ(*folded, "\"x" + std::string(80, 'y') + "\n  fold here\"\n");
}

TEST(YamlEncode, AnUnknownInsideMakesTheTextUnknown) {
  const Evaluated got = Evaluation().run("yamlencode({a = [unk.string]})");
  ASSERT_TRUE(got.value && got.value->is_unknown());
  EXPECT_FALSE(got.value->plain().refinements().not_null);
}

TEST(YamlEncode, DeepValuesNeedNoDeepStack) {
  value::Value deep = value::Value::integer(1);
  for (int i = 0; i < 3'000; ++i) deep = value::Value::tuple({deep});
  EXPECT_TRUE(to_yaml(deep).ok());
}

}  // namespace
}  // namespace tofu::functions
