// condition ? a : b
#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

TEST(Conditional, TakesOneArmAndForgetsTheErrorsOfTheOther) {
  expect_rows({
      {R"(true ? 1 : nope)", R"(1)"},
      {R"(false ? l[7] : "x")", R"("x")"},
      {R"("true" ? 1 : 2)", R"(1)"},
      {R"(true ? nope : 1)", R"(error 7-11)"},
      {R"(nope ? l[7] : l[8])", R"(error 0-4)"},
  });
}

TEST(Conditional, FindsOneTypeForBothArms) {
  expect_rows({
      {R"(true ? 1 : "a")", R"("1")"},
      {R"(true ? [1, "a"] : ["b", 2])", R"(["1", "a"])"},
      {R"(true ? [1] : ["b", "c"])", R"(list(string)["1"])"},
      {R"(false ? {a = 1} : {b = "x"})", R"(map(string){b = "x"})"},
      {R"(true ? {a = 1} : {a = "x"})", R"({a = "1"})"},
      {R"(true ? null : 1)", R"(null(number))"},
      {R"(false ? null : o)", R"({a = "x", b = 2})"},
      {R"(true ? ns : 1)", R"(null(string))"},
      {R"(true ? 1 : any)", R"(1)"},
  });
}

TEST(Conditional, ArmsWithoutACommonTypeAreAnErrorOverBoth) {
  expect_rows({
      {R"(true ? 1 : [])", R"(error 7-13 in 0-13)"},
      {R"(true ? {a = 1} : [1])", R"(error 7-20 in 0-20)"},
      {R"(ub ? true : 1)", R"(error 5-13 in 0-13)"},
      {R"(true ? {a = {b = []}} : {a = {b = 1}})", R"(error 7-37 in 0-37)"},
      {R"(true ? "x" : 1 + 1 == 2)", R"("x")"},
  });
}

TEST(Conditional, TheConditionMustBeABool) {
  expect_rows({
      {R"(null ? 1 : 2)", R"(error 0-4 in 0-12)"},
      {R"(1 ? 1 : 2)", R"(error 0-1 in 0-9)"},
      {R"("x" ? 1 : 2)", R"(error 0-3 in 0-11)"},
      {R"([] ? 1 : 2)", R"(error 0-2 in 0-10)"},
      {R"(us ? 1 : 2)", R"(unknown(number; not null; >= 1; <= 2))"},
  });
}

TEST(Conditional, AnUnknownConditionKeepsWhatHoldsForBothArms) {
  expect_rows({
      {R"(ub ? 1 : 3)", R"(unknown(number; not null; >= 1; <= 3))"},
      {R"(ub ? 2 : 2)", R"(2)"},
      {R"(ub ? u15 : u37)", R"(unknown(number; >= 1; < 7))"},
      {R"(ub ? 1 : un)", R"(unknown(number))"},
      {R"(ub ? nn : 1)", R"(unknown(number))"},
      {R"(ub ? null : null)", R"(null)"},
      {R"(ub ? ns : null)", R"(null(string))"},
      {R"(ub ? "a" : "b")", R"(unknown(string; not null))"},
      {R"(ub ? "a" : null)", R"(unknown(string))"},
      {R"(ub ? l : el)", R"(unknown(list(string); not null; length <= 2))"},
      {R"(ub ? ul2 : l)", R"(unknown(list(string); not null; length >= 2; length <= 4))"},
      {R"(ub ? el : el)", R"(list(string)[])"},
      {R"(ub ? l : nl)", R"(unknown(list(string)))"},
      {R"(ub ? any : 1)", R"(unknown(any))"},
      {R"(ub ? o : uo)", R"(unknown(object({a=string,b=number})))"},
      {R"(ub ? nope : 1)", R"(unknown(any))"},
  });
}

TEST(Conditional, MarksOfTheConditionAndOfBothArmsAreKept) {
  expect_rows({
      {R"(sb ? 1 : 2)", R"(sensitive(1))"},
      {R"(true ? 1 : sn)", R"(sensitive(1))"},
      {R"(false ? sn : 1)", R"(sensitive(1))"},
      {R"(sub ? 1 : 2)", R"(sensitive(unknown(number; not null; >= 1; <= 2)))"},
      {R"(ub ? ss : "x")", R"(sensitive(unknown(string; not null)))"},
      {R"(true ? [ss] : ["x"])", R"([sensitive("secret")])"},
      {R"(true ? snull : "x")", R"(sensitive(null(string)))"},
  });
}

TEST(Conditional, SaysWhatKeepsTheTypesApart) {
  Evaluated nested("true ? {a = [1, {b = 2}]} : {a = [1, {b = []}]}");
  ASSERT_FALSE(nested.result);
  EXPECT_EQ(nested.diags.items()[0].detail,
            "The true and false results must have the same type, but in attribute \"a\", in "
            "element 1, in attribute \"b\", the true result is number, the false result is tuple.");
}

}  // namespace
}  // namespace tofu::syntax
