#include "value/refinement.h"

#include <gtest/gtest.h>

#include "tests/value/make.h"
#include "value/value.h"

namespace tofu::value {
namespace {

Refinements between(int least, int most) {
  Refinements r;
  r.not_null = true;
  r.lower = Bound{Number(least), true};
  r.upper = Bound{Number(most), true};
  return r;
}

Refinements of_length(std::uint64_t least, std::uint64_t most) {
  Refinements r;
  r.not_null = true;
  r.length_min = least;
  r.length_max = most;
  return r;
}

TEST(Refinement, OnlyNarrows) {
  const Value v = Value::unknown(Type::number()).refined(between(0, 10)).refined(between(-5, 7));
  EXPECT_EQ(v.plain().refinements().lower->limit, Number(0));
  EXPECT_EQ(v.plain().refinements().upper->limit, Number(7));
}

TEST(Refinement, ThatLeavesOneValueIsThatValue) {
  EXPECT_TRUE(raw_equal(Value::unknown(Type::number()).refined(between(3, 3)), num(3)));
  const Type strings = Type::list(Type::string());
  EXPECT_TRUE(
      raw_equal(Value::unknown(strings).refined(of_length(0, 0)), Value::list(Type::string(), {})));
  const Value two = Value::unknown(strings).refined(of_length(2, 2));
  ASSERT_EQ(two.kind(), Kind::List);
  EXPECT_TRUE(two.plain().items()[1].is_unknown());
  EXPECT_EQ(Value::unknown(Type::set(Type::string())).refined(of_length(1, 1)).kind(), Kind::Set);
  EXPECT_TRUE(Value::unknown(Type::set(Type::string())).refined(of_length(2, 2)).is_unknown());
  EXPECT_TRUE(Value::unknown(Type::map(Type::string())).refined(of_length(1, 1)).is_unknown());
}

TEST(Refinement, NeedsNonNullToSettleAValue) {
  Refinements r = between(3, 3);
  r.not_null = false;
  const Value v = Value::unknown(Type::number()).refined(r);
  EXPECT_TRUE(v.is_unknown());
  EXPECT_TRUE(raw_equal(v.refined_not_null(), num(3)));
}

TEST(Refinement, OfAHugeListStaysAnUnknown) {
  const Value v = Value::unknown(Type::list(Type::string()))
                      .refined(of_length(1'000'000'000'000, 1'000'000'000'000));
  EXPECT_TRUE(v.is_unknown());
}

TEST(Refinement, DoesNothingToKnownValuesAndToUnknownsOfTypeAny) {
  EXPECT_TRUE(num(1).refined_not_null().is_same(num(1)));
  EXPECT_TRUE(raw_equal(Value::unknown().refined_not_null(), Value::unknown()));
}

TEST(Refinement, KeepsMarks) {
  const Value v = Value::unknown(Type::string()).with_marks(Marks::sensitive()).refined_not_null();
  EXPECT_EQ(v.marks(), Marks::sensitive());
  EXPECT_TRUE(v.unmarked().refinements().not_null);
}

TEST(Refinement, ContradictionsAreFoundBeforeTheyAreApplied) {
  EXPECT_FALSE(narrowed(between(0, 3), between(4, 5)).has_value());
  EXPECT_FALSE(narrowed(of_length(0, 1), of_length(2, 3)).has_value());
  Refinements a;
  a.prefix = "ami-";
  Refinements b;
  b.prefix = "subnet";
  EXPECT_FALSE(narrowed(a, b).has_value());
  b.prefix = "ami-1";
  EXPECT_EQ(narrowed(a, b)->prefix, "ami-1");
  Refinements infinite;
  infinite.lower = Bound{Number::infinity(true), false};
  EXPECT_TRUE(narrowed({}, infinite)->empty());
}

TEST(Refinement, APrefixEndsWhereNothingThatFollowsCanJoinIt) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"", ""},
                                                                  {"a", ""},
                                                                  {"foo", "fo"},
                                                                  {"foo-", "foo-"},
                                                                  {"foo1", "foo"},
                                                                  {"foo<", "foo"},
                                                                  {"https://", "https://"},
                                                                  {"foo\r\n", "foo"},
                                                                  {"日本", "日"},
                                                                  {"👋🏽", ""},
                                                                  {"-\u0308", ""},
                                                                  {"e\u0301", ""},
                                                                  {"ab\u0301\u0302", "a"},
                                                                  {"foo\u200d", "fo"}};
  for (const auto& [text, prefix] : cases) EXPECT_EQ(safe_prefix(text), prefix) << text;
}

}  // namespace
}  // namespace tofu::value
