#include <gtest/gtest.h>

#include "base/thread.h"
#include "syntax/analysis.h"
#include "tests/syntax/evaluated.h"
#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

std::string repeat(std::string_view text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

struct Nest {
  std::string_view open;
  std::string_view middle;
  std::string_view close;
};

constexpr Nest kNests[] = {
    {"(", "1", ")"},
    {"[", "", "]"},
    {"{a=", "1", "}"},
    {"-", "1", ""},
    {"!", "a", ""},
    {"f(", "", ")"},
    {"a[", "b", "]"},
    {"1?", "1", ":1"},
    {"1?1:", "1", ""},
    {"\"${", "1", "}\""},
    {"[for x in y:", "x", "]"},
    {"a", "[*]", "[*]"},
    {"\"%{if a}${", "1", "}%{endif}\""},
};

TEST(Nesting, SomeHundredLevelsAreFine) {
  for (const Nest& nest : kNests) {
    const std::string text =
        repeat(nest.open, 200) + std::string(nest.middle) + repeat(nest.close, 200);
    if (nest.open == "a") continue;  // that one is a chain; see below
    EXPECT_FALSE(ParsedText(parse_expression, text).diags.has_errors()) << nest.open;
  }
}

TEST(Nesting, TooManyLevelsAreOneErrorAndNoOverflow) {
  for (const Nest& nest : kNests) {
    const std::string text =
        nest.open == "a"
            ? "a" + repeat(nest.close, 20'000)
            : repeat(nest.open, 20'000) + std::string(nest.middle) + repeat(nest.close, 20'000);
    const ParsedText parsed(parse_expression, text);
    EXPECT_TRUE(parsed.diags.has_errors()) << nest.open;
    EXPECT_LE(parsed.diags.size(), 2u) << nest.open;
    if (nest.open == "a") continue;
    const ParsedText unclosed(parse_expression, repeat(nest.open, 20'000));
    EXPECT_TRUE(unclosed.diags.has_errors()) << nest.open;
  }
}

std::string nested(const Nest& nest, int levels) {
  return repeat(nest.open, levels) + std::string(nest.middle) + repeat(nest.close, levels);
}

// The most levels that the parser accepts.
int most_levels(const Nest& nest) {
  int fine = 1;
  for (int step = 512; step > 0; step /= 2) {
    const ParsedText parsed(parse_expression, nested(nest, fine + step));
    if (!parsed.diags.has_errors()) fine += step;
  }
  return fine;
}

// As above, but all of them have values, and loops go round once.
constexpr Nest kEvaluated[] = {
    {"(", "1", ")"},
    {"[", "", "]"},
    {"{a=", "1", "}"},
    {"-", "1", ""},
    {"!", "true", ""},
    {"[1][", "0", "]"},
    {"true?", "1", ":1"},
    {"false?1:", "1", ""},
    {"\"x${", "1", "}\""},
    {"[for x in [1]:", "x", "]"},
    {"{for x in [1]:x=>", "x", "}"},
    {"\"%{if true}${", "1", "}%{endif}\""},
};

// Three quarters of the stack are left to the functions of libraries and to builds whose
// frames are larger.
TEST(Nesting, WhatIsAtTheLimitIsEvaluatedOnTheStackOfATask) {
  for (const Nest& nest : kEvaluated) {
    const std::string text = nested(nest, most_levels(nest));
    EXPECT_GT(text.size(), 300u) << nest.open;
    bool ended = false;
    base::Thread(kTaskStack / 4, [&] {
      const Evaluated once(text);
      ended = once.result || once.diags.has_errors();
    }).join();
    EXPECT_TRUE(ended) << nest.open;
  }
}

TEST(Nesting, ChainsThatWrapWhatCameBeforeAreLimitedToo) {
  EXPECT_TRUE(ParsedText(parse_expression, "a" + repeat("[b]", 5'000)).diags.has_errors());
  EXPECT_TRUE(ParsedText(parse_expression, "a" + repeat(".*.b[0]", 5'000)).diags.has_errors());
  std::string mixed = "a";
  for (int i = 0; i < 50; ++i) mixed = "(" + mixed + ")" + repeat("[b]", 50);
  EXPECT_TRUE(ParsedText(parse_expression, mixed).diags.has_errors());
}

TEST(Nesting, TraversalsAndSumsMayBeOfAnyLength) {
  EXPECT_FALSE(ParsedText(parse_expression, "a" + repeat(".b[0]", 100'000)).diags.has_errors());
  const ParsedText sum(parse_expression, "a" + repeat(" + a", 100'000));
  ASSERT_FALSE(sum.diags.has_errors());
  EXPECT_EQ(variables(*sum.file->expr).size(), 100'001u);
  const ParsedText mixed(parse_expression, "a" + repeat(" + a * b && c == d", 50'000));
  ASSERT_FALSE(mixed.diags.has_errors());
  EXPECT_EQ(start_range(*mixed.file->expr).end, 1u);
}

TEST(Nesting, BlocksAndDirectivesAreLimited) {
  EXPECT_FALSE(
      ParsedText(parse_file, repeat("a {\n", 500) + repeat("}\n", 500)).diags.has_errors());
  const ParsedText blocks(parse_file, repeat("a {\n", 100'000) + repeat("}\n", 100'000));
  EXPECT_EQ(blocks.diags.size(), 1u);
  const ParsedText directives(parse_template,
                              repeat("%{if a}", 100'000) + repeat("%{endif}", 100'000));
  EXPECT_EQ(directives.diags.size(), 1u);
}

TEST(Nesting, JsonIsLimitedTogetherWithItsTemplates) {
  const auto json = [](int levels, int parens) {
    return "{\"a\":" + repeat("[", levels) + "\"${" + repeat("(", parens) + "1" +
           repeat(")", parens) + "}\"" + repeat("]", levels) + "}";
  };
  EXPECT_FALSE(ParsedText(parse_json_file, json(400, 400)).diags.has_errors());
  EXPECT_TRUE(ParsedText(parse_json_file, json(100'000, 1)).diags.has_errors());
  const ParsedText both(parse_json_file, json(700, 700));
  EXPECT_FALSE(both.diags.has_errors());  // wrong only if it is evaluated
  EXPECT_EQ(both.file->deferred.size(), 1u);
}

TEST(Nesting, UnclosedJsonIsReportedAFewTimes) {
  EXPECT_LE(ParsedText(parse_json_file, repeat("[", 100'000)).diags.size(), 3u);
  EXPECT_LE(ParsedText(parse_json_file, repeat("{\"a\":", 100'000)).diags.size(), 3u);
  EXPECT_LE(ParsedText(parse_json_file, repeat("[", 900)).diags.size(), 20u);
}

}  // namespace
}  // namespace tofu::syntax
