// Tuples, objects and `for` expressions.
#include <gtest/gtest.h>
#include <string>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

TEST(Object, KeysAreNamesStringsOrAnythingInParentheses) {
  expect_rows({
      {R"({a = 1, "b" = 2, 3 = 3, (l[0]) = 4})", R"({3 = 3, a = 4, b = 2})"},
      {R"({null = 1, true = 2})", R"({null = 1, true = 2})"},
      {R"({o = o.b})", R"({o = 2})"},
      {R"({a = 1, a = 2})", R"({a = 2})"},
      {R"({(true) = 1})", R"({true = 1})"},
      {R"({"${l[0]}-k" = 1})", R"({a-k = 1})"},
  });
}

TEST(Object, AnUnknownKeyMakesTheWholeUnknown) {
  expect_rows({
      {R"({(us) = 1})", R"(unknown(any))"},
      {R"({(us) = nope})", R"(error 8-12)"},
      {R"({(ss) = 1, b = sn})", R"(sensitive({b = sensitive(7), secret = 1}))"},
      {R"({(sany) = 1})", R"(unknown(any))"},
  });
}

TEST(Object, BadKeysAreReportedBesideBadValues) {
  expect_rows({
      {R"({(null) = 1})", R"(error 10-11)"},
      {R"({([]) = 1, b = nope})", R"(error 1-5, error 15-19)"},
      {R"({o.a = 1})", R"(error 1-4)"},
      {R"({(nope) = nope})", R"(error 2-6, error 10-14)"},
  });
}

TEST(For, MakesTuples) {
  expect_rows({
      {R"([for v in l : v])", R"(["a", "b"])"},
      {R"([for i, v in l : "${i}:${v}"])", R"(["0:a", "1:b"])"},
      {R"([for k, v in m : [k, v]])", R"([["k", "v"], ["z", "w"]])"},
      {R"([for k, v in o : v])", R"(["x", 2])"},
      {R"([for v in s : v])", R"(["a", "b"])"},
      {R"([for k, v in s : k])", R"(["a", "b"])"},
      {R"([for v in [1, "a", null] : v if v != null])", R"([1, "a"])"},
      {R"([for v in [1, 2, 3] : v * 2 if v != 2])", R"([2, 6])"},
      {R"([for a in [1, 2] : [for b in [10, 20] : a + b]])", R"([[11, 21], [12, 22]])"},
      {R"([for l in l : l])", R"(["a", "b"])"},
      {R"([for v in lu : v])", R"(["a", unknown(string)])"},
  });
}

TEST(For, MakesObjects) {
  expect_rows({
      {R"({for k, v in m : v => k})", R"({v = "k", w = "z"})"},
      {R"({for i, v in l : v => i})", R"({a = 0, b = 1})"},
      {R"({for v in ["x", "y", "x"] : v => v...})", R"({x = ["x", "x"], y = ["y"]})"},
      {R"({for k, v in m : k => v if k == "z"})", R"({z = "w"})"},
      {R"({for v in [3, 1, 2] : v => v})", R"({1 = 1, 2 = 2, 3 = 3})"},
      {R"({for i, v in ["z", "a", "m"] : v => i})", R"({a = 1, m = 2, z = 0})"},
      {R"([for x in l : {name = x, o = {n = x}}])",
       R"([{name = "a", o = {n = "a"}}, {name = "b", o = {n = "b"}}])"},
      {R"([for x in [1, "a"] : {x = x, "y" = [x]}])",
       R"([{x = 1, y = [1]}, {x = "a", y = ["a"]}])"},
      {R"([for x in l : {(x) = 1, b = x}])", R"([{a = 1, b = "a"}, {b = "b"}])"},
  });
}

TEST(For, TwoEqualKeysAreAnErrorAtTheKey) {
  expect_rows({
      {R"({for v in ["x", "y", "x"] : v => 1})", R"(error 28-29 in 0-35)"},
      {R"({for v in l : "k" => v})", R"(error 14-17 in 0-23)"},
  });
}

TEST(For, OnlyCollectionsCanBeGoneThrough) {
  expect_rows({
      {R"([for v in null : v])", R"(error 10-14 in 0-19)"},
      {R"([for v in nl : v])", R"(error 10-12 in 0-17)"},
      {R"([for v in 5 : v])", R"(error 10-11 in 0-16)"},
      {R"([for v in us : v])", R"(error 10-12 in 0-17)"},
      {R"({for v in "abc" : v => v})", R"(error 10-15 in 0-25)"},
      {R"([for v in nope : v])", R"(error 10-14)"},
  });
}

TEST(For, UnknownCollectionsConditionsAndKeysMakeTheWholeUnknown) {
  expect_rows({
      {R"([for v in ul : v])", R"(unknown(any))"},
      {R"([for v in any : v])", R"(unknown(any))"},
      {R"([for v in l : v if ub])", R"(unknown(any))"},
      {R"({for v in l : us => v})", R"(unknown(any))"},
      {R"({for v in lu : v => 1})", R"(unknown(any))"},
      {R"([for v in l : us])", R"([unknown(string), unknown(string)])"},
      {R"([for v in uo : v])", R"(unknown(any))"},
  });
}

TEST(For, AConditionThatIsWrongForAnyElementIsReportedOnce) {
  expect_rows({
      {R"([for v in l : v if null])", R"(error 19-23 in 0-24)"},
      {R"([for v in l : v if []])", R"(error 19-21 in 0-22)"},
      {R"([for v in l : v if nope])", R"(error 19-23)"},
      {R"({for v in l : v => v if 1})", R"(error 24-25 in 0-26)"},
  });
}

TEST(For, AConditionOrKeyThatIsWrongForSomeElementsIsReportedForTheFirst) {
  expect_rows({
      {R"([for v in [true, null, 1, []] : 1 if v])", R"(error 37-38 in 0-39)"},
      {R"({for v in ["a", null, []] : v => 1})", R"(error 28-29 in 0-35)"},
      {R"([for v in l : v.q])", R"(error 15-17, error 15-17)"},
  });
}

TEST(For, MarksOfCollectionConditionAndKeysAreOnTheResult) {
  expect_rows({
      {R"([for v in sl : v])", R"(sensitive(["x", "y"]))"},
      {R"([for v in slp : v])", R"([sensitive("x"), "y"])"},
      {R"([for v in l : v if sb])", R"(sensitive(["a", "b"]))"},
      {R"({for v in l : v => 1 if sb})", R"(sensitive({a = 1, b = 1}))"},
      {R"({for v in slp : v => 1})", R"(sensitive({x = 1, y = 1}))"},
      {R"([for v in sul : v])", R"(sensitive(unknown(any)))"},
      {R"([for v in ul : v if sb])", R"(sensitive(unknown(any)))"},
      {R"([for v in sany : v])", R"(unknown(any))"},
  });
}

TEST(For, ManyKeysInAnyOrderAreFoundAgain) {
  std::string list;
  for (int i = 0; i < 3'000; ++i) list += std::to_string(i * 7919 % 3'000) + ", ";
  Evaluated all("{for v in [" + list + "] : \"k${v}\" => v}");
  ASSERT_TRUE(all.result);
  EXPECT_EQ(all.result->plain().size(), 3'000U);
  EXPECT_EQ(plain_text(*all.result->plain().find("k1234")), "1234");
  Evaluated twice("{for v in [" + list + "17] : \"k${v}\" => v}");
  EXPECT_EQ(twice.diags.error_count(), 1U);
}

std::string nested(std::string_view open, std::string_view inside, std::string_view close) {
  constexpr int kDeep = kMaxNesting / 5;
  std::string text;
  for (int i = 0; i < kDeep; ++i) text += open;
  text += inside;
  for (int i = 0; i < kDeep; ++i) text += close;
  return text;
}

TEST(Nesting, DeepExpressionsOfEveryKindAreEvaluated) {
  EXPECT_EQ(evaluated(nested("(", "1", ")")), "1");
  EXPECT_EQ(evaluated(nested("1 + (", "1", ")")), std::to_string(kMaxNesting / 5 + 1));
  EXPECT_EQ(evaluated(nested("true ? (", "1", ") : 2")), "1");
  EXPECT_EQ(evaluated(nested("plain(", "1", ")")), "\"value\"");
  EXPECT_EQ(evaluated(nested("\"${", "1", "}\"")), "1");
  EXPECT_EQ(evaluated(nested("\"a${", "us", "}\"")), "unknown(string; not null)");
  EXPECT_EQ(evaluated(nested("[for v in [1] : ", "v", "][0]")), "1");
  EXPECT_TRUE(Evaluated(nested("{ a = [", "1", "] }")).result);
  EXPECT_TRUE(Evaluated(nested("attempt(", "nope", ")")).diags.has_errors());
}

}  // namespace
}  // namespace tofu::syntax
