#include "value/marked_paths.h"

#include <gtest/gtest.h>

#include "tests/value/make.h"

namespace tofu::value {
namespace {

Value secret(Value v) { return v.with_marks(Marks::sensitive()); }

TEST(MarkedPaths, ListsEveryMarkedPartTheOuterFirst) {
  const Value v = secret(
      Value::object({{"a", secret(Value::string("x"))},
                     {"b", Value::tuple({Value::integer(1), secret(Value::integer(2))})},
                     {"c", Value::map(Type::string(), {{"k", secret(Value::string("y"))}})}}));

  std::vector<std::string> texts;
  for (const PathMarks& place : unmark(v).marks) texts.push_back(to_string(place.path));

  EXPECT_EQ(texts, (std::vector<std::string>{"", ".a", ".b[1]", ".c[\"k\"]"}));
}

TEST(MarkedPaths, PutBackMakeTheSameValue) {
  const Value v = Value::object(
      {{"a", secret(Value::string("x"))},
       {"b", Value::list(Type::number(), {Value::integer(1), secret(Value::integer(2))})},
       {"s", Value::set(Type::string(), {secret(Value::string("e"))})},
       {"u", secret(Value::unknown(Type::string()))}});

  EXPECT_TRUE(raw_equal(mark(v.deep_unmarked(), unmark(v).marks), v));
}

TEST(MarkedPaths, ThatLeadNowhereArePassedOver) {
  const Value v = Value::object({{"a", Value::tuple({Value::string("x")})}});
  const Marks sensitive = Marks::sensitive();
  const Path a = Path().with_attribute("a");

  for (const Path& path :
       {Path().with_attribute("b"), a.with_index(Value::integer(1)),
        a.with_index(Value::integer(-1)), a.with_index(Value::string("0")), a.with_attribute("x"),
        a.with_index(Value::integer(0)).with_attribute("deep")}) {
    const std::vector<PathMarks> places{{path, sensitive}};
    EXPECT_TRUE(raw_equal(mark(v, places), v)) << to_string(path);
  }
}

TEST(MarkedPaths, IntoASetMarkTheSet) {
  const Value set = Value::set(Type::string(), {Value::string("e")});
  const std::vector<PathMarks> places{{Path().with_index(Value::string("e")), Marks::sensitive()}};

  EXPECT_TRUE(raw_equal(mark(set, places), secret(set)));
}

TEST(MarkedPaths, AsDeepAsTheyMayBeHideTooMuchRatherThanTooLittle) {
  Value v = Value::string("x");
  Path path;
  for (int i = 0; i < 5'000; ++i) {
    v = Value::tuple({v});
    path.steps.emplace_back(IndexStep{Value::integer(0)});
  }
  const std::vector<PathMarks> places{{path, Marks::sensitive()}};

  EXPECT_TRUE(mark(v, places).contains_sensitive());
}

}  // namespace
}  // namespace tofu::value
