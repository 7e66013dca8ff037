#include "syntax/format.h"

#include <gtest/gtest.h>

#include "tests/syntax/parsed.h"

namespace tofu::syntax {
namespace {

std::string formatted(std::string_view text) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const auto id = sources.add("test.tf", std::string(text));
  const auto result = format_source(sources, id, diags);
  return result ? *result : "not formatted";
}

void check(std::initializer_list<Case> cases) {
  for (const Case& each : cases) {
    EXPECT_EQ(formatted(each.text), each.result) << each.text;
    EXPECT_EQ(formatted(each.result), each.result) << "formatted once more";
  }
}

TEST(Format, OperatorsStandApartAndSignsDoNot) {
  check({
      {"a=1+2*-3\n", "a = 1 + 2 * -3\n"},
      {"a = b-1\n", "a = b-1\n"},  // one name
      {"a=!b&&c>=-1?d:e\n", "a = !b && c >= -1 ? d : e\n"},
      {"a=[ for x in y:x if x!=\"\" ]\n", "a = [for x in y : x if x != \"\"]\n"},
      {"a={for k,v in m:k=>v ...}\n", "a = { for k, v in m : k => v... }\n"},
  });
}

TEST(Format, CallsAndTraversalsAreKeptTogether) {
  check({
      {"a = f ( b , c ... )\n", "a = f(b, c...)\n"},
      {"a = provider :: x :: y ( 1 )\n", "a = provider::x::y(1)\n"},
      {"a = b . c [ 0 ] . * . d\n", "a = b.c[0].*.d\n"},
      {"a = b . 0 . c\n", "a = b.0.c\n"},
  });
}

TEST(Format, ANumberDoesNotTakeInWhatFollows) {
  check({
      {"a = 2  .1\n", "a = 2 .1\n"},
      {"a = b.0  .  1\n", "a = b.0 .1\n"},
      {"a = b.0 .e1 .x\n", "a = b.0 .e1.x\n"},
      {"a = b.0 .e .x\n", "a = b.0.e.x\n"},
  });
}

TEST(Format, NeighborsAreAligned) {
  check({
      {"a = 1 # x\nbcd = 22 # y\n", "a   = 1  # x\nbcd = 22 # y\n"},
      {"a = 1\n\nbcd = 2\n", "a = 1\n\nbcd = 2\n"},
      // Graphemes are counted, and "\r\n" is one.
      {"/* a\r\n*/ x = 1\r\nb = 2\r\n", "/* a\r\n*/ x = 1\r\nb         = 2\r\n"},
      {"b {\nc = [\n1,\n]\nlonger = 1\n}\n", "b {\n  c = [\n    1,\n  ]\n  longer = 1\n}\n"},
  });
}

TEST(Format, WhatIsWrittenInAnOldWayIsMadeNew) {
  check({
      {"a = \"${b}\"\n", "a = b\n"},
      {"a = \"${b}c\"\n", "a = \"${b}c\"\n"},
      {"variable \"v\" {\n  type = \"string\"\n}\n", "variable \"v\" {\n  type = string\n}\n"},
  });
}

TEST(Format, BrokenTextIsLeftAlone) { EXPECT_EQ(formatted("a = \n"), "not formatted"); }

}  // namespace
}  // namespace tofu::syntax
