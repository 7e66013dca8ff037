#include "value/object_shape.h"

#include <array>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace tofu::value {
namespace {

constexpr std::array<std::string_view, 3> kNames = {"b", "c", "a"};

TEST(ObjectShape, TellsWhereEachGivenNameGoes) {
  const ObjectShape shape(kNames);

  EXPECT_EQ(shape.size(), 3U);
  EXPECT_EQ(shape.place(0), 1U);
  EXPECT_EQ(shape.place(1), 2U);
  EXPECT_EQ(shape.place(2), 0U);
}

TEST(ObjectShape, ANameGivenTwiceHasOnePlace) {
  const std::array<std::string_view, 3> names = {"x", "a", "x"};
  const ObjectShape shape(names);

  EXPECT_EQ(shape.size(), 2U);
  EXPECT_EQ(shape.place(0), shape.place(2));
}

TEST(ObjectShape, MakesWhatValueObjectMakes) {
  const ObjectShape shape(kNames);
  const Value made = shape.make({Value::integer(1), Value::string("x"), Value::null()});

  EXPECT_TRUE(raw_equal(
      made,
      Value::object({{"a", Value::integer(1)}, {"b", Value::string("x")}, {"c", Value::null()}})));
}

TEST(ObjectShape, FollowsTheTypesOfEachObject) {
  const ObjectShape shape(kNames);
  const Value numbers = shape.make({Value::integer(1), Value::integer(2), Value::integer(3)});
  const Value mixed = shape.make({Value::integer(1), Value::string("2"), Value::integer(3)});
  const Value again = shape.make({Value::integer(4), Value::integer(5), Value::integer(6)});

  EXPECT_NE(numbers.type(), mixed.type());
  EXPECT_EQ(numbers.type(), again.type());
  EXPECT_EQ(mixed.type().attributes()[1].type, Type::string());
}

TEST(ObjectShape, ServesManyThreadsWithObjectsOfDifferentTypes) {
  const ObjectShape shape(kNames);
  const auto made_by = [&](int number) {
    const Value inner = number % 2 == 0 ? Value::integer(number) : Value::string("x");
    return shape.make({inner, Value::integer(0), inner});
  };
  const Type even = made_by(0).type();
  const Type odd = made_by(1).type();
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 2'000; ++i) {
        if (made_by(i).type() != (i % 2 == 0 ? even : odd)) ++wrong[thread];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace tofu::value
