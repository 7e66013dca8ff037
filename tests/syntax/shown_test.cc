#include "syntax/shown.h"

#include <gtest/gtest.h>

#include "tests/syntax/evaluated.h"

namespace tofu::syntax {
namespace {

using value::Type;
using value::Value;

// "name statement; …" of the first error.
std::string shown(std::string_view text) {
  Evaluated failed(text);
  if (failed.diags.empty()) return "no error";
  std::string out;
  for (const diag::ShownValue& value : failed.diags.items()[0].values) {
    if (!out.empty()) out += "; ";
    out += value.traversal + " " + value.statement;
  }
  return out;
}

TEST(Shown, ListsTheReferencesOfTheFaultyPartOnceAndSorted) {
  EXPECT_EQ(shown("[o.b, (t + t) + o.a]"), "t is tuple with 2 elements");
  EXPECT_EQ(shown("true ? [m, l[0], l[0]] : o"),
            "l[0] is \"a\"; m is map of string with 2 elements; o is object with 2 attributes");
}

TEST(Shown, FollowsAReferenceAsFarAsItLeads) {
  EXPECT_EQ(shown("o.a.b.c"), "o.a is \"x\"");
  EXPECT_EQ(shown("m[\"k\"].x"), "m[\"k\"] is \"v\"");
  EXPECT_EQ(shown("nope.a"), "");
}

TEST(Shown, PassesOverUnknownAndConfidentialValues) {
  EXPECT_EQ(shown("[] + (any == ss ? em : us)"), "");
  EXPECT_EQ(shown("1 + [us, ul, any, ss, em, sop]"),
            "sop is object with 2 attributes; ul is a list of string; us is a string");
}

TEST(Shown, NamesBoundByForHaveTheValueOfTheFailingRound) {
  EXPECT_EQ(shown("[for i, v in [[1], 2] : v[0] + i]"), "v is 2");
  EXPECT_EQ(shown("{for k, v in {a = 1, b = 1} : v => [for w in l : w]}"), "v is 1");
  EXPECT_EQ(shown("[for v in l : v + [for w in l : w][0]]"), "v is \"a\"");
}

TEST(Shown, NamesBoundInsideTheFaultyPartAreNotShown) {
  EXPECT_EQ(shown("1 + [for v in l : v]"), "l is list of string with 2 elements");
  EXPECT_EQ(shown("1 + lo[*].a"), "lo is list of object with 2 elements");
}

TEST(Statement, DescribesEachKindOfValue) {
  const auto said = [](const Value& v) { return statement_about(v, {}); };
  EXPECT_EQ(said(Value::null()), "is null");
  EXPECT_EQ(said(Value::boolean(true)), "is true");
  EXPECT_EQ(said(Value::number(*value::Number::parse("0.1234567890123"))), "is 0.123456789");
  EXPECT_EQ(said(Value::string("a\n\"b\"")), R"(is "a\n\"b\"")");
  EXPECT_EQ(said(Value::tuple({})), "is empty tuple");
  EXPECT_EQ(said(Value::list(Type::number(), {Value::integer(1)})),
            "is list of number with 1 element");
  EXPECT_EQ(said(Value::object({})), "is object with no attributes");
  EXPECT_EQ(said(Value::object({{"only", Value()}})), "is object with 1 attribute \"only\"");
  EXPECT_EQ(said(Value::unknown(Type::object({}))), "is an object");
  EXPECT_EQ(said(Value::unknown()), "");
}

TEST(Statement, SaysMoreOfUnknownsWhenTheyAreTheProblem) {
  const auto said = [](const Value& v) { return statement_about(v, {.unknown = true}); };
  const Value list = Value::unknown(Type::list(Type::string()));
  const auto bounded = [&](std::uint64_t least, std::optional<std::uint64_t> most) {
    value::Refinements range;
    range.length_min = least;
    range.length_max = most;
    return said(list.refined(range));
  };
  EXPECT_EQ(said(Value::unknown()), "is known only after apply");
  EXPECT_EQ(said(Value::unknown(Type::string())), "is a string, known only after apply");
  EXPECT_EQ(said(list), "is a list of string, known only after apply");
  EXPECT_EQ(bounded(3, 3), "is a list of string of length 3, known only after apply");
  EXPECT_EQ(bounded(2, 4), "is a list of string of 2 to 4 elements, known only after apply");
  EXPECT_EQ(bounded(2, {}), "is a list of string of 2 or more elements, known only after apply");
  EXPECT_EQ(bounded(0, 4), "is a list of string of 4 elements at most, known only after apply");
}

TEST(Statement, NeverTellsASecret) {
  const Value secret = Value::string("hush").with_marks(value::Marks::sensitive());
  const Value fleeting = Value::string("gone").with_marks(value::Marks::ephemeral());
  EXPECT_EQ(statement_about(secret, {}), "");
  EXPECT_EQ(statement_about(fleeting, {}), "");
  EXPECT_EQ(statement_about(secret), "is a sensitive value");
  EXPECT_EQ(statement_about(fleeting), "is an ephemeral value");
  EXPECT_EQ(statement_about(Value::list(Type::string(), {secret})),
            "is list of string with 1 element");
  const Value old = Value::string("x").with_marks(value::Marks::deprecated({"m", "old", false}));
  EXPECT_EQ(statement_about(old), "is \"x\"");
}

}  // namespace
}  // namespace tofu::syntax
