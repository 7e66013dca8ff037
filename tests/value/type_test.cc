#include "value/type.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "base/check.h"

namespace tofu::value {
namespace {

Type person() { return Type::object({{"name", Type::string()}, {"age", Type::number(), true}}); }

TEST(Type, EqualTypesAreTheSameType) {
  EXPECT_EQ(Type::list(Type::string()), Type::list(Type::string()));
  EXPECT_NE(Type::list(Type::string()), Type::set(Type::string()));
  EXPECT_EQ(person(), Type::object({{"age", Type::number(), true}, {"name", Type::string()}}));
  EXPECT_NE(person(), person().without_optional_attributes());
  const std::vector<Type> pair = {Type::string(), Type::boolean()};
  EXPECT_EQ(Type::tuple(pair), Type::tuple(pair));
  EXPECT_EQ(Type::capsule("thing"), Type::capsule("thing"));
  EXPECT_NE(Type::capsule("thing"), Type::capsule("other"));
  EXPECT_EQ(Type(), Type::dynamic());
}

TEST(Type, TuplesOfEqualElementsShareOneRunOfTypes) {
  const Type element = Type::capsule("nobody else makes tuples of this");
  const Type longer = Type::tuple(std::vector<Type>(100, element));
  const Type shorter = Type::tuple(std::vector<Type>(2, element));
  EXPECT_EQ(longer.elements().size(), 100u);
  EXPECT_EQ(longer.elements().data(), shorter.elements().data());
  EXPECT_EQ(shorter.elements()[1], element);
}

TEST(Type, ObjectAttributesAreSortedByNameAndFoundByIt) {
  const Type type =
      Type::object({{"z", Type::string()}, {"a", Type::number()}, {"m", Type::boolean()}});
  ASSERT_EQ(type.attributes().size(), 3u);
  EXPECT_EQ(type.attributes()[0].name, "a");
  EXPECT_EQ(type.attribute_index("m"), 1u);
  EXPECT_EQ(type.attribute_index("b"), std::nullopt);
  EXPECT_EQ(type.attribute_index(""), std::nullopt);
}

TEST(Type, AttributeNamesAreNormalized) {
  const Type type = Type::object({{"e\u0301", Type::string()}});
  EXPECT_EQ(type.attributes()[0].name, "\u00e9");
}

TEST(Type, ANameGivenTwiceIsABrokenPromise) {
  EXPECT_THROW(Type::object({{"a", Type::string()}, {"a", Type::string()}}), base::InternalError);
}

TEST(Type, KnowsWhetherAnyOrAnOptionalAttributeIsInside) {
  EXPECT_TRUE(Type::list(Type::map(Type::dynamic())).has_dynamic());
  EXPECT_FALSE(Type::list(Type::string()).has_dynamic());
  const Type nested = Type::list(Type::object({{"who", person()}}));
  EXPECT_TRUE(nested.has_optional_attributes());
  EXPECT_FALSE(nested.without_optional_attributes().has_optional_attributes());
  EXPECT_EQ(nested.without_optional_attributes(),
            Type::list(Type::object({{"who", person().without_optional_attributes()}})));
}

TEST(Type, NamesItselfForPeople) {
  EXPECT_EQ(friendly_name(Type::list(Type::set(Type::string()))), "list of set of string");
  EXPECT_EQ(friendly_name(person()), "object");
  EXPECT_EQ(friendly_name(Type::map(Type::dynamic())), "map of dynamic");
  EXPECT_EQ(friendly_constraint_name(Type::map(Type::dynamic())), "map of any single type");
  EXPECT_EQ(friendly_constraint_name(Type::dynamic()), "any type");
}

TEST(Type, ConformsToAConstraintWithAny) {
  const Type any_list = Type::list(Type::dynamic());
  EXPECT_TRUE(conforms(Type::list(Type::string()), any_list));
  EXPECT_FALSE(conforms(any_list, Type::list(Type::string())));
  EXPECT_FALSE(conforms(Type::set(Type::string()), any_list));
  EXPECT_TRUE(
      conforms(Type::object({{"a", Type::string()}}), Type::object({{"a", Type::dynamic()}})));
  EXPECT_FALSE(
      conforms(Type::object({{"b", Type::string()}}), Type::object({{"a", Type::dynamic()}})));
}

TEST(Type, MayBeNestedWithoutLimit) {
  Type type = Type::string();
  for (int i = 0; i < 200'000; ++i) type = Type::tuple(std::vector<Type>{type, Type::number()});
  EXPECT_FALSE(type.has_dynamic());
  EXPECT_EQ(type.without_optional_attributes(), type);
  EXPECT_TRUE(conforms(type, type));
}

TEST(Type, IsTheSameFromEveryThread) {
  constexpr int kThreads = 16;
  std::vector<std::vector<Type>> made(kThreads);
  std::vector<std::thread> threads;
  for (auto& types : made) {
    threads.emplace_back([&types] {
      for (int i = 0; i < 300; ++i) {
        types.push_back(Type::list(Type::object({{"only_" + std::to_string(i), Type::string()}})));
        types.push_back(Type::tuple(std::vector<Type>(static_cast<std::size_t>(i), types.front())));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& types : made) EXPECT_EQ(types, made.front());
}

// Each thread makes types that no other one makes, while the table grows.
TEST(Type, HasTheRequestedPartsWhateverOtherThreadsMake) {
  constexpr int kThreads = 16;
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int number = 0; number < kThreads; ++number) {
    threads.emplace_back([&wrong, number] {
      for (int i = 0; i < 300; ++i) {
        const std::string name = "of_" + std::to_string(number) + "_" + std::to_string(i);
        const Type capsule = Type::capsule(name);
        const Type object = Type::object({{name, capsule}});
        const Type tuple = Type::tuple(std::vector<Type>{object, capsule});
        const bool is_right =
            capsule.capsule_name() == name && object.attributes().front().name == name &&
            object.attributes().front().type == capsule && tuple.elements()[0] == object &&
            tuple.elements()[1] == capsule && Type::list(tuple).element() == tuple;
        if (!is_right) ++wrong[number];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

}  // namespace
}  // namespace tofu::value
