#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) EXPECT_EQ(body(each.text), each.result) << each.text;
}

TEST(NativeBody, AttributesAndBlocksInTheirOrder) {
  check({
      {"", ""},
      {"a = 1\nb = 2\n", "a = 1; b = 2; "},
      {"a = 1", "a = 1; "},
      {"a {\n}\n", "a { } "},
      {"a {}", "a { } "},
      {"a \"b\" c \"d\\n\" {\n  e = 1\n  f {\n  }\n}\n",
       "a \"b\" \"c\" \"d\\n\" { e = 1; f { } } "},
      {"a { b = 1 }\n", "a { b = 1; } "},
      {"# x\na = 1 # y\n/* z */ b = 2\n", "a = 1; b = 2; "},
      {"a = [\n  1,\n]\nb = 2\n", "a = [1]; b = 2; "},
      {"a = <<E\nx\nE\nb = 1\n", "a = t[\"x\\n\"]; b = 1; "},
      {"a \"$${b}\" {\n}\n", "a \"${b}\" { } "},
      {"\xEF\xBB\xBF"
       "a = 1\n",
       "a = 1; "},
      {"a\t=\t1\r\nb = 2\r\n", "a = 1; b = 2; "},
  });
}

TEST(NativeBody, ErrorsAreAtThePlaceThatOpenTofuNames) {
  check({
      {"a = 1\na = 2\n", "errors 6-7"},
      {"a = 1 b = 2\n", "errors 6-7"},
      {"a = 1, b = 2\n", "errors 5-6"},
      {"a\n", "errors 0-1"},
      {"= 1\n", "errors 0-1"},
      {"\"a\" = 1\n", "errors 0-1"},
      {"a {", "errors 2-3"},
      {"a {\n", "errors 2-3"},
      {"a \"b\"\n{\n}\n", "errors 5-6"},
      {"a b = 1\n", "errors 4-5"},
      {"a [ {\n}\n", "errors 0-1"},
      {"a { b = 1, c = 2 }\n", "errors 9-10"},
      {"a { b = 1\n}\n", "errors 9-10"},
      {"a { b = 1", "errors 2-3"},
      {"a { b = 1 c }\n", "errors 10-11"},
      {"a { b { } }\n", "errors 4-7"},
      {"a { 1 }\n", "errors 4-5"},
      {"a {\n} b = 1\n", "errors 6-7"},
      {"a \"b${c}\" {\n}\n", "errors 4-6"},
      {"a \"b", "errors 4-4 4-4"},
      {"}\n", "errors 0-1"},
      {"a = 'x'\n", "errors 4-5 4-5"},
  });
}

TEST(NativeBody, ParsingGoesOnAfterAnErrorAndReportsMore) {
  check({
      {"a = \nb\nc = 1\nd\n", "errors 4-5 5-6 13-14"},
      {"a = [1 2]\nb = f(1 2)\nc = 3\n", "errors 7-8 18-19"},
      {"a {\n  b\n  c\n}\nd\n", "errors 6-7 10-11 14-15"},
  });
  const ParsedText parsed(parse_file, "a = +\nb = 2\n\nc {\n  d\n  e = 3\n}\n");
  EXPECT_EQ(dump(*parsed.file->native), "a = invalid; b = 2; c { e = 3; } ");
}

TEST(NativeBody, ItemsKnowTheirPlaces) {
  EXPECT_EQ(ParsedText(parse_file, "\na \"b\" {\n  c = 1\n}\n").result(true),
            "a@1-2 \"b\"@3-6 {@7-8 c@11-16 = 1@15-16; body@7-18@18-18 }@17-18 body@0-19@19-19 ");
}

TEST(NativeBody, ManyArgumentsOfOneBodyAreCheckedInLinearTime) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "a" + std::to_string(i) + " = 1\n";
  const ParsedText good(parse_file, text);
  EXPECT_FALSE(good.diags.has_errors());
  const ParsedText twice(parse_file, text + "a77777 = 2\n");
  EXPECT_EQ(twice.diags.size(), 1u);
}

TEST(NativeBody, WhatIsNoTextIsOneError) {
  EXPECT_EQ(body(std::string(30'000, '\0')), "errors 0-1");
  EXPECT_EQ(body("a = 1\n\x7f"
                 "ELF" +
                 std::string(20, '\0') + "\n\n= {"),
            "errors 10-11");
  EXPECT_EQ(body("a = \"" + std::string(20, '\xe9') + "\""), "errors 5-6");
}

TEST(NativeBody, CharactersWithoutMeaningAreReportedUpToALimit) {
  const ParsedText few(parse_file, "a = 1 " + std::string(50, '$'));
  const ParsedText many(parse_file, "a = 1 " + std::string(30'000, '$'));
  EXPECT_GE(few.diags.error_count(), 50u);
  EXPECT_LE(many.diags.error_count(), 110u);
}

}  // namespace
}  // namespace tofu::syntax
