// Operators on every mix of known, unknown, refined, null and marked operands.
#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

TEST(Operators, ArithmeticConvertsBothSidesToNumbers) {
  expect_rows({
      {R"(1 + 2 * 3 - 4 / 8)", R"(6.5)"},
      {R"("7" + 1)", R"(8)"},
      {R"(-7 % 3)", R"(-1)"},
      {R"(5 % 0)", R"(5)"},
      {R"(1 / 0)", R"(+Inf)"},
      {R"(-"3")", R"(-3)"},
      {R"("x" + 1)", R"(error 0-3 in 0-7)"},
      {R"([] + {})", R"(error 0-2 in 0-7, error 5-7 in 0-7)"},
      {R"(true - 1)", R"(error 0-4 in 0-8)"},
  });
}

TEST(Operators, WhatIsNoNumberIsAnErrorAtTheWholeOperation) {
  expect_rows({
      {R"((0 / 0))", R"(error 1-6)"},
      {R"(1/0 - 1/0)", R"(error 0-9)"},
      {R"(1 + null)", R"(error 0-8)"},
      {R"(nn < un)", R"(error 0-7)"},
      {R"(-null)", R"(error 0-5)"},
      {R"(!null)", R"(error 0-5)"},
  });
}

TEST(Operators, AnUnknownOperandMakesAnUnknownThatIsNotNull) {
  expect_rows({
      {R"(1 + un)", R"(unknown(number; not null))"},
      {R"(u15 * 0)", R"(unknown(number; not null))"},
      {R"(-u15)", R"(unknown(number; not null))"},
      {R"(!ub)", R"(unknown(bool; not null))"},
      {R"(any + 1)", R"(unknown(number; not null))"},
      {R"(us + 1)", R"(unknown(number; not null))"},
      {R"(u15 + u37)", R"(unknown(number; not null))"},
  });
}

TEST(Operators, ComparisonsUseWhatIsKnownAboutUnknowns) {
  expect_rows({
      {R"(u15 < 6)", R"(true)"},
      {R"(u15 > 5)", R"(unknown(bool; not null))"},
      {R"(u15 >= 1)", R"(unknown(bool; not null))"},
      {R"(u37 > 3)", R"(unknown(bool; not null))"},
      {R"(u37 < 5)", R"(unknown(bool; not null))"},
      {R"(u15 < u37)", R"(unknown(bool; not null))"},
      {R"(un < 1)", R"(unknown(bool; not null))"},
      {R"("2" < 10)", R"(true)"},
      {R"("a" < "b")", R"(error 0-3 in 0-9, error 6-9 in 0-9)"},
  });
}

TEST(Operators, EqualityNeverConverts) {
  expect_rows({
      {R"(1 == "1")", R"(false)"},
      {R"(ns == nn)", R"(true)"},
      {R"(null == nb)", R"(true)"},
      {R"(l == ["a", "b"])", R"(false)"},
      {R"(o == {a = "x", b = 2})", R"(true)"},
      {R"(us == 1)", R"(false)"},
      {R"(us == "x")", R"(unknown(bool; not null))"},
      {R"(upre == "xyz")", R"(false)"},
      {R"(upre == null)", R"(false)"},
      {R"(us != null)", R"(unknown(bool; not null))"},
      {R"(any == 1)", R"(unknown(bool; not null))"},
      {R"([us] == [1])", R"(false)"},
      {R"({a = any} == {a = 1})", R"(unknown(bool; not null))"},
  });
}

TEST(Operators, MarksOfEitherSideAreMarksOfTheResult) {
  expect_rows({
      {R"(1 + sn)", R"(sensitive(8))"},
      {R"(sn + sn)", R"(sensitive(14))"},
      {R"(1 + sun)", R"(sensitive(unknown(number; not null)))"},
      {R"(sb && true)", R"(sensitive(true))"},
      {R"(ss == em)", R"(ephemeral(sensitive(false)))"},
      {R"(-sn)", R"(sensitive(-7))"},
      {R"(!sb)", R"(sensitive(false))"},
  });
}

// As in OpenTofu 1.12.6 itself, not as its release notes have it for null.
TEST(Operators, EqualityTakesMarksFromAnyDepth) {
  expect_rows({
      {R"(sop == o)", R"(sensitive(true))"},
      {R"(slp == l)", R"(sensitive(false))"},
      {R"(sop == null)", R"(sensitive(false))"},
      {R"(null != so)", R"(sensitive(true))"},
  });
}

TEST(Operators, AnUnknownOperandOfAUnaryOperatorLosesItsMarks) {
  expect_rows({
      {R"(-sun)", R"(unknown(number; not null))"},
      {R"(!sub)", R"(unknown(bool; not null))"},
  });
}

TEST(Operators, OneSideOfAndOrOrMayDecide) {
  expect_rows({
      {R"(false && ub)", R"(false)"},
      {R"(ub && false)", R"(false)"},
      {R"(true && ub)", R"(unknown(bool; not null))"},
      {R"(true || ub)", R"(true)"},
      {R"(ub || false)", R"(unknown(bool; not null))"},
      {R"(ub || ub)", R"(unknown(bool; not null))"},
      {R"(sf && ub)", R"(sensitive(false))"},
      {R"("true" && true)", R"(true)"},
  });
}

TEST(Operators, ErrorsOfTheSideThatDoesNotMatterAreForgotten) {
  expect_rows({
      {R"(false && nope)", R"(false)"},
      {R"(nope && false)", R"(false)"},
      {R"(true || l[9])", R"(true)"},
      {R"(nope || true)", R"(true)"},
      {R"(true && nope)", R"(error 8-12)"},
      {R"(nope && nope)", R"(error 0-4, error 8-12)"},
      {R"(nope || ub)", R"(error 0-4)"},
      {R"(ub && nope)", R"(unknown(bool; not null))"},
  });
}

TEST(Operators, AndAndOrConvertBothSidesWhicheverDecides) {
  expect_rows({
      {R"(false && "x")", R"(error 9-12 in 0-12)"},
      {R"(true || [])", R"(error 8-10 in 0-10)"},
      {R"(1 && true)", R"(error 0-1 in 0-9)"},
  });
}

TEST(Operators, NullCountsAsFalseWhereOneSideDecides) {
  expect_rows({
      {R"(null && true)", R"(false)"},
      {R"(true && null)", R"(false)"},
      {R"(null || true)", R"(true)"},
      {R"(null || ub)", R"(unknown(bool; not null))"},
      {R"(false || null)", R"(error 0-13)"},
      {R"(null || null)", R"(error 0-12)"},
  });
}

TEST(Operators, BothBadOperandsAreReported) {
  expect_rows({
      {R"("a" * "b")", R"(error 0-3 in 0-9, error 6-9 in 0-9)"},
      {R"([nope, 1 + l.x])", R"(error 1-5, error 12-14)"},
  });
}

TEST(Operators, AChainOfAHundredThousandTermsNeedsNoDeepStack) {
  std::string text = "1";
  for (int i = 0; i < 100'000; ++i) text += " + 1";
  EXPECT_EQ(evaluated(text), "100001");
  std::string logic = "true";
  for (int i = 0; i < 100'000; ++i) logic += " && true";
  EXPECT_EQ(evaluated(logic), "true");
  EXPECT_EQ(evaluated(text + " + nope"), "error 400004-400008");
}

}  // namespace
}  // namespace tofu::syntax
