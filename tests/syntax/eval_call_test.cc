// Calls: what functions see of their arguments, and where errors point.
#include <array>
#include <gtest/gtest.h>

#include "syntax/function.h"
#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

using value::Type;
using value::Value;

TEST(Call, AFunctionSeesPlainValuesUnlessItAsksForOthers) {
  expect_rows({
      {"plain(1)", R"("value")"},
      {"plain(null)", "error 6-10 in 0-11"},
      {"plain(nn)", "error 6-8 in 0-9"},
      {"plain(us)", "unknown(string)"},
      {"plain(any)", "unknown(any)"},
      {"plain(sn)", R"(sensitive("value"))"},
      {"plain([ss])", R"(sensitive("value"))"},
      {"plain(snull)", "error 6-11 in 0-12"},
      {"plain(sun)", "sensitive(unknown(string))"},
      {"plain(sany)", "sensitive(unknown(any))"},
  });
}

TEST(Call, NullsUnknownsAndMarksAreSeenOnRequest) {
  expect_rows({
      {"sees_null(nn)", R"("null")"},
      {"sees_null(null)", "unknown(any)"},  // a null of type `any` is no known type
      {"sees_unknown(us)", R"("unknown")"},
      {"sees_unknown(any)", "unknown(any)"},
      {"sees_unknown(sun)", R"(sensitive("unknown"))"},
      {"sees_any(any)", "unknown(string)"},
      {"sees_any(1)", R"("value")"},
      {"sees_marks(ss)", R"("marked")"},
      {"sees_marks(sun)", "unknown(string)"},
  });
}

TEST(Call, ArgumentsAreConvertedToTheParameters) {
  expect_rows({
      {"same([1, 2])", "list(number)[1, 2]"},
      {R"(same([1, "a"]))", R"(list(string)["1", "a"])"},
      {"joined(1)", R"("10")"},
      {R"(joined("a", "1", 2))", R"("a2")"},
      {R"(joined("a", any))", "unknown(string; not null)"},
      {"joined(any)", "unknown(string; not null)"},
      {R"(joined("a", "b"))", "error 13-14 in 0-16"},
      {R"(joined([], {}))", "error 7-8 in 0-14, error 11-12 in 0-14"},
      {R"(joined([for v in l : v]))", "error 7-8 in 0-24"},
  });
}

TEST(Call, TheNumberOfArgumentsIsChecked) {
  expect_rows({
      {"joined()", "error 7-8 in 0-8"},
      {"plain(1, o.a)", "error 9-12 in 0-13"},
      {R"(plain(1, plain(2), 3))", "error 9-15 in 0-21"},
      {R"(space::inner(5 + 1))", "error 13-14 in 0-19"},
  });
}

TEST(Call, ElementsBeforeAnEllipsisBecomeArguments) {
  expect_rows({
      {R"(joined("a", [1, 2]...))", R"("a2")"},
      {R"(joined(["a", 1]...))", R"("a1")"},
      {"joined(s...)", "error 7-8 in 0-12"},
      {R"(joined("a", []...))", R"("a0")"},
      {R"(joined("a", ul...))", "unknown(any)"},
      {R"(joined("a", any...))", "unknown(any)"},
      {R"(joined("a", sany...))", "unknown(any)"},
      {R"(joined("a", nl...))", "error 12-14 in 0-18"},
      {R"(joined("a", null...))", "error 12-16 in 0-20"},
      {R"(joined("a", m...))", "error 12-13 in 0-17"},
      {R"(joined("a", nope...))", "error 12-16"},
      {R"(joined("a", [1, "x"]...))", "error 12-20 in 0-24"},
      {"joined(sl...)", "error 7-9 in 0-13"},
      {"plain(sl...)", "error 6-8 in 0-12"},
      {"plain([ss]...)", R"(sensitive("value"))"},
      {"joined([]...)", "error 12-13 in 0-13"},
  });
}

TEST(Call, FailuresPointAtTheArgumentOrAtTheCall) {
  expect_rows({
      {R"(joined("fail"))", "error 0-7 in 0-14"},
      {R"(joined("argument", 5))", "error 19-20 in 0-21"},
      {R"(joined("argument"))", "error 0-18"},
      {R"(joined("argument", [5]...))", "error 19-22 in 0-26"},
      {"nothing(1)", "error 0-7 in 0-10"},
      {"plain(nope)", "error 6-10"},
  });
}

TEST(Call, MemoryThatTheSystemRefusesIsAnErrorOfTheWholeExpression) {
  Evaluated evaluated("[1, endless()]");
  EXPECT_EQ(evaluated.outcome(), "error 0-14");
  ASSERT_EQ(evaluated.diags.size(), 1u);
  EXPECT_EQ(evaluated.diags.items()[0].summary, "Out of memory");
}

TEST(Call, AnErrorShowsTheSignatureAndTheArgument) {
  Evaluated bad("joined(o, 1)");
  ASSERT_EQ(bad.diags.error_count(), 1U);
  const diag::Diagnostic& error = bad.diags.items()[0];
  ASSERT_TRUE(error.call);
  EXPECT_EQ(error.call->name, "joined");
  EXPECT_EQ(error.call->signature, "joined(first, more...)");
  EXPECT_EQ(error.call->json,
            R"({"name":"joined","params":[{"name":"first","type":"string"}],)"
            R"("variadic_param":{"name":"more","type":"number"},"return_type":"string"})");
  ASSERT_EQ(error.values.size(), 1U);
  EXPECT_EQ(error.values[0].traversal, "o");
  EXPECT_EQ(error.values[0].statement, "is object with 2 attributes");
}

TEST(Call, UnknownFunctionsAreComparedWithThoseOfTheirNamespace) {
  const auto detail = [](std::string_view text) {
    Evaluated call(text);
    return call.diags.items()[0].detail;
  };
  EXPECT_EQ(detail("plian(1)"), R"(No function is named "plian". Did you mean plain?)");
  EXPECT_EQ(detail("space::iner()"),
            R"(No function is named "space::iner". Did you mean space::inner?)");
  EXPECT_EQ(detail("inner()"), R"(No function is named "inner".)");
  EXPECT_EQ(detail("other::inner()"), "The namespace other:: has no functions.");
}

TEST(Call, LazyFunctionsEvaluateTheirArgumentsThemselves) {
  expect_rows({
      {"attempt(nope, l[5], 3)", "3"},
      {"[for v in l : attempt(v.x, v)]", R"(["a", "b"])"},
      {"attempt(l...)", R"("a")"},
      {"attempt(unknown_function(), 1)", "1"},
      {"attempt(nope)", "error 0-8 in 0-13"},
  });
}

TEST(Call, WhatALazyFunctionReportsIsCompletedButNotWhatItsArgumentsReport) {
  Evaluated own("attempt(o.q)");
  ASSERT_EQ(own.diags.error_count(), 1U);
  EXPECT_EQ(own.diags.items()[0].call->signature, "attempt(expressions...)");
  ASSERT_EQ(own.diags.items()[0].values.size(), 1U);
  EXPECT_EQ(own.diags.items()[0].values[0].traversal, "o");
  Evaluated inner("first(nope)");
  ASSERT_EQ(inner.diags.error_count(), 1U);
  EXPECT_FALSE(inner.diags.items()[0].call);
}

TEST(Call, WithoutAScopeThereAreNoNamesAndNoFunctions) {
  EXPECT_EQ(Evaluated("1 + 1", As::Expression, false).outcome(), "2");
  EXPECT_EQ(Evaluated("[for v in [1] : v]", As::Expression, false).outcome(), "[1]");
  EXPECT_EQ(Evaluated("[{a = 1}][*].a", As::Expression, false).outcome(), "[1]");
  EXPECT_EQ(Evaluated("o.a", As::Expression, false).outcome(), "error 0-1");
  EXPECT_EQ(Evaluated("plain(1)", As::Expression, false).outcome(), "error 0-8");
}

const Function& function(std::string_view name) {
  static const std::vector<Function> all = test_functions();
  return *std::ranges::find(all, name, &Function::name);
}

TEST(Call, OutsideSourceTextArgumentsAreCheckedButNotConverted) {
  const std::array good{Value::string("a"), Value::integer(1)};
  const auto result = call(function("joined"), good);
  ASSERT_TRUE(result);
  EXPECT_EQ(plain_text(*result), R"("a1")");

  const std::array wrong{Value::string("a"), Value::string("1")};
  const auto failed = call(function("joined"), wrong);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().argument, 1U);

  EXPECT_FALSE(call(function("joined"), {}));
  EXPECT_FALSE(call(function("attempt"), good));
}

TEST(Call, TheTypeOfAResultIsKnownBeforeTheResult) {
  const std::array given{Value::unknown(Type::list(Type::number()))};
  const auto type = result_type(function("same"), given);
  ASSERT_TRUE(type);
  EXPECT_EQ(*type, Type::list(Type::number()));
  const std::array open{Value::unknown()};
  EXPECT_EQ(*result_type(function("plain"), open), Type::dynamic());
  const std::array null{Value::null(Type::string())};
  EXPECT_FALSE(result_type(function("plain"), null));
}

TEST(Call, AResultOfAnotherTypeIsConvertedToThePromisedOne) {
  Function promise;
  promise.name = "promise";
  promise.result_type = always(Type::string());
  promise.body = [](Arguments, Type) -> CallResult<Value> { return Value::integer(5); };
  EXPECT_EQ(plain_text(*call(promise, {})), R"("5")");
  promise.body = [](Arguments, Type) -> CallResult<Value> { return Value::tuple({}); };
  EXPECT_FALSE(call(promise, {}));
}

}  // namespace
}  // namespace tofu::syntax
