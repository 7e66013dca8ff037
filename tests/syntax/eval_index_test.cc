// Attributes, indices and splats.
#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

TEST(Index, ConvertsTheKeyToWhatTheCollectionWants) {
  expect_rows({
      {R"(l[0])", R"("a")"},
      {R"(l["1"])", R"("b")"},
      {R"(m["k"])", R"("v")"},
      {R"(m.k)", R"("v")"},
      {R"(t[1])", R"(1)"},
      {R"(o["a"])", R"("x")"},
      {R"(o.b)", R"(2)"},
      {R"({"1" = "x"}[1])", R"("x")"},
      {R"({a = {b = [5]}}.a.b[0])", R"(5)"},
  });
}

TEST(Index, WhatIsNotThereIsAnErrorAtTheStep) {
  expect_rows({
      {R"(l[2])", R"(error 1-4)"},
      {R"(l[-1])", R"(error 1-5)"},
      {R"(l[0.5])", R"(error 1-6)"},
      {R"(el[0])", R"(error 2-5)"},
      {R"(t[2])", R"(error 1-4)"},
      {R"(m["q"])", R"(error 1-6)"},
      {R"(m.q)", R"(error 1-3)"},
      {R"(o.q)", R"(error 1-3)"},
      {R"(o["q"])", R"(error 1-6)"},
      {R"(o[0])", R"(error 1-4)"},
      {R"(s[0])", R"(error 1-4)"},
      {R"(lo.a)", R"(error 2-4)"},
      {R"(so1.a)", R"(error 3-5)"},
      {R"("x".a)", R"(error 3-5)"},
      {R"(5[0])", R"(error 1-4)"},
      {R"(t.a)", R"(error 1-3)"},
      {R"(l["x"])", R"(error 1-6)"},
      {R"(l[[]])", R"(error 1-5)"},
  });
}

TEST(Index, NullHasNoElementsAndIsNoKey) {
  expect_rows({
      {R"(nl[0])", R"(error 2-5)"},
      {R"(null.a)", R"(error 4-6)"},
      {R"(l[null])", R"(error 1-7)"},
      {R"(ss[ns])", R"(error 2-6)"},
  });
}

TEST(Index, UnknownCollectionsAndKeysGiveTheTypeThatIsKnown) {
  expect_rows({
      {R"(ul[0])", R"(unknown(string))"},
      {R"(um.k)", R"(unknown(string))"},
      {R"(l[un])", R"(unknown(string))"},
      {R"(ut[0])", R"(unknown(string))"},
      {R"(ut[2])", R"(error 2-5)"},
      {R"(t[un])", R"(unknown(any))"},
      {R"(uo.a)", R"(unknown(string))"},
      {R"(uo["a"])", R"(unknown(any))"},
      {R"(o[us])", R"(unknown(any))"},
      {R"(any.a)", R"(unknown(any))"},
      {R"(any[0])", R"(unknown(any))"},
      {R"(l[any])", R"(unknown(any))"},
      {R"(uo.q)", R"(error 2-4)"},
      {R"(lu[1])", R"(unknown(string))"},
  });
}

TEST(Index, MarksOfTheWholeAreMarksOfThePart) {
  expect_rows({
      {R"(sl[0])", R"(sensitive("x"))"},
      {R"(sm.k)", R"(sensitive("x"))"},
      {R"(so.a)", R"(sensitive("x"))"},
      {R"(so["b"])", R"(sensitive(2))"},
      {R"(slp[0])", R"(sensitive("x"))"},
      {R"(slp[1])", R"("y")"},
      {R"(sop.b)", R"(2)"},
      {R"(l[sn - 7])", R"(sensitive("a"))"},
      {R"(m[ss])", R"(error 1-5)"},
      {R"(sul[0])", R"(sensitive(unknown(string)))"},
      {R"(l[sun])", R"(unknown(string))"},
      {R"(sl[un])", R"(sensitive(unknown(string)))"},
      {R"(sany.a)", R"(sensitive(unknown(any)))"},
  });
}

TEST(Splat, GoesThroughSequencesAndTakesAnythingElseForASingleElement) {
  expect_rows({
      {R"(lo[*].a)", R"(list(string)["x", "y"])"},
      {R"(lo.*.a)", R"(list(string)["x", "y"])"},
      {R"(t[*])", R"(["a", 1])"},
      {R"(s[*])", R"(list(string)["a", "b"])"},
      {R"(so1[*].a)", R"(list(string)["x"])"},
      {R"(o[*].a)", R"(["x"])"},
      {R"(m[*])", R"([map(string){k = "v", z = "w"}])"},
      {R"(null[*])", R"([])"},
      {R"(ns[*])", R"([])"},
      {R"(5[*])", R"([5])"},
      {R"(el[*])", R"(list(string)[])"},
      {R"([][*].a)", R"([])"},
  });
}

TEST(Splat, AttributeSplatsEndAtAnIndex) {
  expect_rows({
      {R"(lo.*.a[0])", R"("x")"},
      {R"([["a"], ["b"]].*[0])", R"(["a"])"},
      {R"([["a"], ["b"]][*][0])", R"(["a", "b"])"},
      {R"([{a = ["p"]}][*].a[0])", R"(["p"])"},
      {R"([{a = ["p"]}].*.a[0])", R"(["p"])"},
  });
}

TEST(Splat, OfANullSequenceOrWithABadStepIsAnError) {
  expect_rows({
      {R"(nl[*])", R"(error 0-2 in 0-5)"},
      {R"(lo[*].q)", R"(error 5-7, error 5-7)"},
      {R"([{a = 1}, {b = 1}][*].a)", R"(error 21-23)"},
      {R"(nope[*].a)", R"(error 0-4)"},
      {R"(lob[*].a[*])", R"(error 3-11 in 0-11)"},
  });
}

TEST(Splat, OfAnUnknownKnowsItsTypeAndLength) {
  expect_rows({
      {R"(ul[*])", R"(unknown(list(string); not null))"},
      {R"(ul2[*])", R"(unknown(list(string); not null; length >= 2; length <= 4))"},
      {R"(ut[*])", R"(unknown(tuple([string,number]); not null))"},
      {R"(us[*])", R"(unknown(any))"},
      {R"(uon[*].a)", R"([unknown(string)])"},
      {R"(uo[*].a)", R"(unknown(any))"},
      {R"(uo[*].q)", R"(error 5-7)"},
      {R"(any[*].a)", R"(unknown(any))"},
      {R"(sul[*])", R"(sensitive(unknown(list(string); not null)))"},
      {R"(sany[*])", R"(sensitive(unknown(any)))"},
      {R"(sl[*])", R"(sensitive(list(string)["x", "y"]))"},
      {R"(snull[*])", R"(sensitive([]))"},
      {R"(so[*].a)", R"(sensitive([sensitive("x")]))"},
  });
}

TEST(Traverse, FollowsStepsOnAValue) {
  Evaluated source("o.a");
  const auto& variable = as<VariableExpr>(*source.file->expr);
  diag::Diagnostics diags;
  const auto found = traverse(test_values().at("o"), variable.traversal.steps, diags);
  ASSERT_TRUE(found);
  EXPECT_EQ(plain_text(*found), "\"x\"");
  EXPECT_FALSE(traverse(test_values().at("l"), variable.traversal.steps, diags));
  EXPECT_EQ(error_places(diags), "error 1-3");
}

}  // namespace
}  // namespace tofu::syntax
