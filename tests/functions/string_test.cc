#include <gtest/gtest.h>

#include "tests/functions/evaluation.h"

namespace tofu::functions {
namespace {

TEST(String, ResultsAreThoseOfOpenTofu) {
  expect_same({
      {R"(upper("straße ÿ"))", R"("STRAßE Ÿ")"},
      {R"(lower("ÀÉΣ"))", R"("àéσ")"},
      {R"(title("hello big-world_x o’clock"))", R"("Hello Big-World_x O’clock")"},
      {R"(strrev("ab👩‍👩‍👦c"))", R"("c👩‍👩‍👦ba")"},
      {R"(chomp("a\n\r\n\r"))", R"("a")"},
      {R"(chomp("\n"))", R"("")"},
      {R"(indent(2, "a\nb\n"))", R"("a\n  b\n  ")"},
      {R"(indent(1000000000000, "no line end"))", R"("no line end")"},
      {R"(trimspace("\u00a0\t a b \n"))", R"("a b")"},
      {R"(trim("éxaé", "éx"))", R"("a")"},
      {R"(trimprefix("aab", "a"))", R"("ab")"},
      {R"(trimsuffix("baa", "ab"))", R"("baa")"},
      {R"(startswith("abc", ""))", "true"},
      {R"(endswith("abc", "bc"))", "true"},
      {R"(strcontains("abc", "d"))", "false"},
  });
}

TEST(String, SubstringsCountCharacters) {
  expect_same({
      {R"(substr("hello", 1, 3))", R"("ell")"},
      {R"(substr("a👩‍👩‍👦c", 1, 1))", R"("👩‍👩‍👦")"},
      {R"(substr("hello", -3, 2))", R"("ll")"},
      {R"(substr("hello", -10, 2))", R"("he")"},
      {R"(substr("hello", 2, -1))", R"("llo")"},
      {R"(substr("hello", 7, 2))", R"("")"},
      {R"(substr("hello", 1, 0))", R"("")"},
      {R"(substr("hello", -3, 0))", R"("llo")"},
  });
}

TEST(String, JoiningAndSplitting) {
  expect_same({
      {R"(join("-", ["a", 1], tolist(["b"])))", R"("a-1-b")"},
      {R"(join("-", []))", R"("")"},
      {R"(split(",", "a,,b"))", R"(tolist(["a", "", "b"]))"},
      {R"(split(",", ""))", R"(tolist([""]))"},
      {R"(split("", "e👩x"))", R"(tolist(["e", "👩", "x"]))"},
      {R"(split("", ""))", R"(slice(tolist(["a"]), 0, 0))"},
  });
}

TEST(String, FaultsPointAtTheArgumentOrTheCall) {
  expect_faults({
      R"~(«join(»","))~",
      R"~(join(",", «["a", null]»))~",
      R"~(join(",", ["a"], «["b", null]»))~",
      R"~(«substr(»"a", 0.5, 1))~",
      R"~(«indent(»-1, "a\nb"))~",
      R"~(«indent(»1000000000000, "a\nb"))~",
      "upper(«[]»)",
      R"~(startswith(«null», "a"))~",
  });
}

TEST(String, WhatIsKnownOfAnUnknownMaySettleTheAnswer) {
  expect_same({
      {R"(startswith(unk.subnet, "sub"))", "true"},
      {R"(startswith(unk.subnet, "vpc"))", "false"},
      {R"(startswith(unk.subnet, "subnet-1") == null)", "false"},
      {R"(startswith(unk.string, ""))", "true"},
      {R"(length(unk.subnet) > 6)", "true"},
      {R"(can(join(",", ["a", unk.string])) == true)", "unk.bool == true"},
      {R"(upper(secret.string))", R"(sensitive("TEXT"))"},
  });
}

}  // namespace
}  // namespace tofu::functions
