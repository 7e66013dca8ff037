#include "value/operations.h"

#include <gtest/gtest.h>
#include <limits>
#include <source_location>

#include "tests/value/make.h"
#include "value/value.h"

namespace tofu::value {
namespace {

const Type kNumber = Type::number();
const Type kString = Type::string();

Value yes() { return Value::boolean(true); }
Value no() { return Value::boolean(false); }
Value maybe() { return Value::unknown(Type::boolean()).refined_not_null(); }
Value secret(const Value& v) { return v.with_marks(Marks::sensitive()); }

// An unknown number that is not null and lies in this range.
Value within(std::optional<std::int64_t> least, std::optional<std::int64_t> most) {
  Refinements r;
  r.not_null = true;
  if (least) r.lower = Bound{Number(*least), true};
  if (most) r.upper = Bound{Number(*most), true};
  return Value::unknown(kNumber).refined(r);
}

Value starting(std::string prefix) {
  Refinements r;
  r.prefix = std::move(prefix);
  return Value::unknown(kString).refined(r);
}

void expect_same(const Value& got, const Value& want,
                 std::source_location at = std::source_location::current()) {
  EXPECT_TRUE(raw_equal(got, want)) << "line " << at.line();
}

TEST(Equals, NeverConverts) {
  expect_same(equals(num(1), str("1")), no());
  expect_same(equals(tuple({num(1)}), Value::list(kNumber, {num(1)})), no());
  expect_same(equals(object({}), Value::map(kString, std::vector<MapEntry>())), no());
  expect_same(equals(num(1), dec("1.0")), yes());
}

TEST(Equals, TakesNullsOfAnyTypesForEqual) {
  expect_same(equals(Value::null(kString), Value::null(kNumber)), yes());
  expect_same(equals(Value::null(), num(1)), no());
  expect_same(equals(Value::null(), Value::unknown(kString)), maybe());
  expect_same(equals(Value::null(), Value::unknown(kString).refined_not_null()), no());
}

TEST(Equals, IsUnknownUnlessTheRangeOfTheUnknownForbidsIt) {
  expect_same(equals(num(1), Value::unknown(kNumber)), maybe());
  expect_same(equals(str("a"), Value::unknown(kNumber)), no());
  expect_same(equals(str("a"), Value::unknown()), maybe());
  expect_same(equals(num(1), within(2, {})), no());
  expect_same(equals(num(2), within(2, 3)), maybe());
  expect_same(equals(str("subnet-1"), starting("ami-")), no());
  expect_same(equals(str("ami-1"), starting("ami-")), maybe());
  expect_same(equals(within(1, 2), within(3, 4)), maybe());
  Refinements two;
  two.length_min = 2;
  const Value list = Value::unknown(Type::list(kNumber)).refined(two);
  expect_same(equals(list, Value::list(kNumber, {num(1)})), no());
  expect_same(equals(list, Value::list(kNumber, {num(1), num(2)})), maybe());
}

TEST(Equals, GoesInsideUntilSomethingDecides) {
  const Value unknown = Value::unknown(kNumber);
  expect_same(equals(tuple({num(1), unknown}), tuple({num(2), unknown})), no());
  expect_same(equals(tuple({unknown, num(1)}), tuple({num(1), num(2)})), maybe());
  expect_same(equals(object({{"a", tuple({str("x")})}}), object({{"a", tuple({str("x")})}})),
              yes());
  expect_same(equals(Value::list(kNumber, {unknown}), Value::list(kNumber, {num(1), num(2)})),
              no());
  // An unknown of type `any` inside leaves even the type open.
  expect_same(equals(tuple({Value::unknown()}), tuple({num(1)})), maybe());
  expect_same(equals(tuple({Value::unknown()}), tuple({num(1), num(2)})), no());
}

TEST(Equals, ComparesSetsByMembership) {
  const auto set = [](std::vector<Value> items) { return Value::set(kNumber, std::move(items)); };
  expect_same(equals(set({num(1), num(2)}), set({num(2), num(1)})), yes());
  expect_same(equals(set({num(1)}), set({num(1), num(2)})), no());
  expect_same(equals(set({Value::unknown(kNumber)}), set({num(1), num(2)})), maybe());
}

TEST(Equals, CollectsMarksButNotThoseInsideOfWhatIsComparedWithNull) {
  const Value deep = tuple({secret(num(1))});
  expect_same(equals(deep, tuple({num(1)})), secret(yes()));
  expect_same(equals(deep, Value::null()), no());
  expect_same(equals(secret(Value::null()), deep), secret(no()));
}

TEST(Logic, OneSideMayDecideAloneAndMarksAlwaysTravel) {
  expect_same(logical_and(no(), Value::unknown(Type::boolean())), no());
  expect_same(logical_and(yes(), Value::unknown(Type::boolean())), maybe());
  expect_same(logical_or(Value::unknown(), yes()), yes());
  expect_same(logical_or(no(), no()), no());
  expect_same(logical_and(secret(yes()), no()), secret(no()));
  expect_same(negated_bool(Value::unknown()), maybe());
  expect_same(negated_bool(secret(no())), secret(yes()));
}

TEST(Arithmetic, OfUnknownsKnowsTheRangeOfTheResult) {
  expect_same(*add(within(1, 2), num(10)), within(11, 12));
  expect_same(*subtract(num(10), within(1, {})), within({}, 9));
  expect_same(*multiply(within(2, 3), num(-1)), within(-3, -2));
  expect_same(*add(Value::unknown(kNumber), num(1)), within({}, {}));
  expect_same(*divide(within(1, 2), num(1)), within({}, {}));
  expect_same(*modulo(Value::unknown(), num(2)), within({}, {}));
  expect_same(negate(within(1, 2)), within({}, {}));
  // A sum of open ranges meets infinity minus infinity: nothing is known.
  expect_same(*add(within(1, {}), within({}, 5)), within({}, {}));
}

TEST(Arithmetic, CarriesMarksAndReportsImpossibleResults) {
  expect_same(*add(secret(num(1)), num(2)), secret(num(3)));
  expect_same(negate(num(0)), dec("-0"));
  EXPECT_TRUE(negate(num(0)).plain().as_number().is_negative_zero());
  EXPECT_FALSE(divide(num(0), num(0)).ok());
  EXPECT_FALSE(divide(secret(num(0)), num(0)).ok());
}

TEST(Comparison, OfUnknownsIsKnownWhereTheirRangesDoNotMeet) {
  expect_same(less_than(within(1, 2), num(3)), yes());
  expect_same(less_than(within(4, 5), num(3)), no());
  expect_same(less_than(within(3, 5), num(3)), maybe());
  expect_same(greater_than(num(3), within(1, 2)), yes());
  expect_same(less_or_equal(within(1, 3), num(3)), maybe());
  expect_same(less_than(Value::unknown(), num(3)), maybe());
  expect_same(greater_or_equal(secret(num(3)), num(3)), secret(yes()));
  // Fractions of different precision that print alike are equal.
  expect_same(less_or_equal(Value::number(Number::from_double(0.1)), dec("0.1")), yes());
  expect_same(less_than(dec("0.1"), Value::number(Number::from_double(0.1))), yes());
}

TEST(Length, IsKnownAsFarAsItCanBe) {
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  expect_same(length(Value::list(kNumber, {num(1), num(2)})), num(2));
  expect_same(length(tuple({Value::unknown()})), num(1));
  expect_same(length(Value::unknown(tuple({num(1), num(2)}).type())), num(2));
  expect_same(length(Value::unknown(Type::list(kNumber))), within(0, kMost));
  expect_same(length(secret(Value::list(kNumber, {}))), secret(num(0)));
  const Value unknown = Value::unknown(kNumber);
  expect_same(length(Value::set(kNumber, {unknown})), num(1));
  expect_same(length(Value::set(kNumber, {unknown, num(1), num(2)})), within(1, 3));
}

TEST(Index, OfUnknownsIsUnknownOfTheRightType) {
  const Value list = Value::list(kNumber, {num(10), num(20)});
  const Value map = Value::map(kNumber, {{"a", num(1)}});
  const Value pair = tuple({num(1), str("x")});
  expect_same(index(list, num(1)), num(20));
  expect_same(index(map, str("a")), num(1));
  expect_same(index(pair, num(1)), str("x"));
  expect_same(index(list, Value::unknown(kNumber)), Value::unknown(kNumber));
  expect_same(index(pair, Value::unknown(kNumber)), Value::unknown());
  expect_same(index(Value::unknown(pair.type()), num(1)), Value::unknown(kString));
  expect_same(index(Value::unknown(), num(1)), Value::unknown());
  expect_same(index(secret(list), num(0)), secret(num(10)));
  expect_same(index(list, secret(num(0))), secret(num(10)));
  EXPECT_THROW(index(list, num(2)), base::InternalError);
}

TEST(HasIndex, AnswersForAnyKey) {
  const Value list = Value::list(kNumber, {num(10)});
  expect_same(has_index(list, num(0)), yes());
  for (const Value& key : {num(1), num(-1), dec("0.5"), dec("1e30"), str("0")}) {
    expect_same(has_index(list, key), no());
  }
  expect_same(has_index(list, Value::unknown(kNumber)), maybe());
  expect_same(has_index(Value::unknown(list.type()), num(0)), maybe());
  expect_same(has_index(Value::unknown(tuple({num(1)}).type()), num(0)), yes());
  expect_same(has_index(Value::map(kNumber, {{"a", num(1)}}), str("b")), no());
  expect_same(has_index(Value::unknown(), num(0)), maybe());
}

TEST(HasElement, IsUnknownWhileAnElementMayStillBecomeIt) {
  const Value set = Value::set(kNumber, {num(1), num(2)});
  expect_same(has_element(set, num(2)), yes());
  expect_same(has_element(set, num(3)), no());
  expect_same(has_element(set, str("2")), no());
  expect_same(has_element(set, Value::unknown(kNumber)), maybe());
  expect_same(has_element(Value::set(kNumber, {num(1), Value::unknown(kNumber)}), num(3)), maybe());
  expect_same(has_element(secret(set), num(1)), secret(yes()));
}

TEST(GetAttribute, OfAnUnknownObjectIsAnUnknownOfItsType) {
  const Value object_value = object({{"a", num(1)}, {"b", secret(str("s"))}});
  expect_same(get_attribute(object_value, "a"), num(1));
  expect_same(get_attribute(object_value.with_marks(Marks::ephemeral()), "b"),
              str("s").with_marks(Marks::sensitive().with(Marks::ephemeral())));
  expect_same(get_attribute(Value::unknown(object_value.type()), "a"), Value::unknown(kNumber));
  expect_same(get_attribute(Value::unknown(), "a"), Value::unknown());
}

}  // namespace
}  // namespace tofu::value
