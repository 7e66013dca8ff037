#include <algorithm>
#include <gtest/gtest.h>
#include <random>

#include "tests/value/make.h"
#include "value/operations.h"
#include "value/value.h"

namespace tofu::value {
namespace {

Value set_of(std::vector<Value> items) { return Value::set(Type::dynamic(), std::move(items)); }

// The numbers of a set of numbers, as text.
std::vector<std::string> numbers(const Value& set) {
  std::vector<std::string> out;
  for (const Value& item : set.plain().items()) {
    out.push_back(item.is_null()      ? "null"
                  : item.is_unknown() ? "?"
                                      : item.plain().as_number().to_string());
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Set, KeepsPrimitivesInNaturalOrderThenUnknownsThenNull) {
  EXPECT_EQ(
      numbers(set_of({num(20), Value::null(), num(3), Value::unknown(), dec("0.5"), num(-1)})),
      (Texts{"-1", "0.5", "3", "20", "?", "null"}));
  const Value words = set_of({str("b"), str("é"), str("a"), str("B")});
  EXPECT_EQ(words.plain().items()[0].plain().as_string(), "B");
  EXPECT_EQ(words.plain().items()[3].plain().as_string(), "é");
  EXPECT_FALSE(
      set_of({Value::boolean(true), Value::boolean(false)}).plain().items()[0].plain().as_bool());
}

TEST(Set, DropsDuplicatesAndKeepsTheFirst) {
  EXPECT_EQ(numbers(set_of({num(1), num(1), num(2), num(1)})), (Texts{"1", "2"}));
  const Value mixed = set_of({Value::number(Number::from_double(0.1)), dec("0.1")});
  ASSERT_EQ(mixed.plain().size(), 1u);
  EXPECT_EQ(mixed.plain().items()[0].plain().as_number().precision(), 53);
  EXPECT_EQ(set_of({dec("0.1"), Value::number(Number::from_double(0.1))}).plain().size(), 1u);
  EXPECT_EQ(set_of({Value::null(), Value::null()}).plain().size(), 1u);
  EXPECT_EQ(set_of({object({{"a", Value::null()}}), object({{"a", Value::null()}})}).plain().size(),
            1u);
}

TEST(Set, NeverTakesUnknownsForEqual) {
  const Value unknown = Value::unknown(Type::string());
  EXPECT_EQ(set_of({unknown, unknown, str("a")}).plain().size(), 3u);
  EXPECT_EQ(set_of({tuple({unknown}), tuple({unknown})}).plain().size(), 2u);
}

TEST(Set, TellsMinusZeroFromZero) {
  EXPECT_EQ(numbers(set_of({num(0), dec("-0")})), (Texts{"-0", "0"}));
  EXPECT_EQ(set_of({tuple({num(0)}), tuple({dec("-0")})}).plain().size(), 2u);
  EXPECT_FALSE(set_of({num(0)}).plain().set_contains(dec("-0")));
}

TEST(Set, OrdersEverythingElseByTheTextThatStandsForIt) {
  // "[10;]" comes before "[1;]", since 0 comes before ;
  const auto list = [](std::vector<Value> items) {
    return Value::list(Type::number(), std::move(items));
  };
  const Value lists = set_of({list({num(1)}), list({num(2), num(3)}), list({num(10)}), list({})});
  EXPECT_EQ(lists.plain().items()[0].plain().items()[0].plain().as_number(), Number(10));
  EXPECT_EQ(lists.plain().items()[1].plain().items()[0].plain().as_number(), Number(1));
  EXPECT_EQ(lists.plain().items()[2].plain().size(), 2u);
  EXPECT_EQ(lists.plain().items()[3].plain().size(), 0u);
  // Objects by their values in the order of names, strings quoted.
  const Value objects =
      set_of({object({{"a", str("b")}, {"z", num(1)}}), object({{"a", str("a")}, {"z", num(2)}})});
  EXPECT_EQ(objects.plain().items()[0].plain().find("a")->plain().as_string(), "a");
  // Numbers with ten digits, so that these two stay as they came.
  const Value close = set_of({tuple({dec("12345678901.75")}), tuple({dec("12345678901.25")})});
  EXPECT_EQ(close.plain().items()[0].plain().items()[0].plain().as_number().to_string(),
            "12345678901.75");
}

TEST(Set, GathersTheMarksOfItsElements) {
  const Value set = set_of({tuple({str("a").with_marks(Marks::sensitive())}), tuple({str("b")})});
  EXPECT_EQ(set.marks(), Marks::sensitive());
  EXPECT_FALSE(set.unmarked().contains_marks());
}

TEST(Set, FindsItsElements) {
  const Value words = set_of({str("a"), str("c"), Value::null()});
  EXPECT_TRUE(words.plain().set_contains(str("c")));
  EXPECT_FALSE(words.plain().set_contains(str("b")));
  EXPECT_FALSE(words.plain().set_contains(num(1)));
  EXPECT_TRUE(words.plain().set_contains(Value::null(Type::string())));
  const Value fractions = set_of({dec("0.1"), dec("2")});
  EXPECT_TRUE(fractions.plain().set_contains(Value::number(Number::from_double(0.1))));
  EXPECT_TRUE(fractions.plain().set_contains(num(2)));
  const Value tuples = set_of({tuple({num(1)}), tuple({num(2)}), tuple({num(3)})});
  EXPECT_TRUE(tuples.plain().set_contains(tuple({num(2)})));
  EXPECT_FALSE(tuples.plain().set_contains(tuple({num(4)})));
}

TEST(Set, IsTheSameInWhateverOrderItIsMade) {
  std::mt19937 engine(7);
  std::vector<Value> items;
  for (int i = 0; i < 500; ++i) {
    items.push_back(object({{"n", num(i % 200)}, {"s", str(std::to_string(i % 50))}}));
  }
  const Value first = set_of(items);
  EXPECT_EQ(first.plain().size(), 200u);
  std::ranges::shuffle(items, engine);
  EXPECT_TRUE(raw_equal(first, set_of(items)));
  for (std::size_t i = 1; i < first.plain().size(); ++i) {
    EXPECT_LT(canonical_compare(first.plain().items()[i - 1], first.plain().items()[i]), 0);
  }
}

}  // namespace
}  // namespace tofu::value
