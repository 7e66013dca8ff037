#include "value/value.h"

#include <gtest/gtest.h>
#include <thread>

#include "tests/value/make.h"

namespace tofu::value {
namespace {

TEST(Value, TheDefaultIsANullOfTypeAny) {
  const Value v;
  EXPECT_TRUE(v.is_null());
  EXPECT_EQ(v.type(), Type::dynamic());
}

TEST(Value, StringsAreNormalized) {
  EXPECT_EQ(Value::string("e\u0301").plain().as_string(), "\u00e9");
  EXPECT_EQ(Value::string("").plain().as_string(), "");
  EXPECT_EQ(Value::string(std::string_view("a\0b", 3)).plain().as_string().size(), 3u);
}

TEST(Value, AnObjectStoresItsItemsInTheOrderOfItsType) {
  const Value v = object({{"b", num(1)}, {"a", str("x")}});
  EXPECT_EQ(v.type().attributes()[0].name, "a");
  EXPECT_EQ(v.plain().items()[0].plain().as_string(), "x");
  EXPECT_EQ(v.plain().find("b")->plain().as_number().to_string(), "1");
  EXPECT_EQ(v.plain().find("c"), nullptr);
}

TEST(Value, TheLastOfEqualKeysWins) {
  EXPECT_EQ(
      object({{"a", num(1)}, {"b", num(2)}, {"a", num(3)}}).plain().find("a")->plain().as_number(),
      Number(3));
  const Value map = Value::map(Type::number(), {{"k", num(1)}, {"a", num(2)}, {"k", num(3)}});
  EXPECT_EQ(map.plain().size(), 2u);
  EXPECT_EQ(map.plain().find("k")->plain().as_number(), Number(3));
  const Value same =
      Value::map(Type::number(), {str("k"), str("a"), str("k")}, {num(1), num(2), num(3)});
  EXPECT_TRUE(raw_equal(map, same));
}

TEST(Value, MapKeysAreInByteOrder) {
  const Value map = Value::map(Type::number(), {{"é", num(1)}, {"z", num(2)}, {"A", num(3)}});
  EXPECT_EQ(map.plain().map_keys()[0].plain().as_string(), "A");
  EXPECT_EQ(map.plain().map_keys()[2].plain().as_string(), "é");
  EXPECT_EQ(map.plain().items()[2].plain().as_number(), Number(1));
}

TEST(Value, UntypedNullsAndUnknownsTakeOnTheElementType) {
  const Value list = Value::list(Type::string(), {str("a"), Value::null(), Value::unknown()});
  EXPECT_EQ(list.plain().items()[1].type(), Type::string());
  EXPECT_TRUE(list.plain().items()[2].is_unknown());
  EXPECT_EQ(list.plain().items()[2].type(), Type::string());
  // An element type that is not settled gives way to the items'.
  EXPECT_EQ(Value::list(Type::dynamic(), {Value::null(), num(1)}).type(),
            Type::list(Type::number()));
  EXPECT_EQ(Value::list(Type::dynamic(), {}).type(), Type::list(Type::dynamic()));
}

TEST(Value, AnItemOfAnotherTypeIsABrokenPromise) {
  EXPECT_THROW(Value::list(Type::string(), {num(1)}), base::InternalError);
  EXPECT_THROW(Value::object(Type::object({{"a", Type::string()}}), {num(1)}), base::InternalError);
  EXPECT_THROW(num(1).plain().as_string(), base::InternalError);
  EXPECT_THROW(str("a").with_marks(Marks::sensitive()).plain().as_string(), base::InternalError);
}

TEST(Value, KnowsWhetherAnythingInsideIsUnknownOrMarked) {
  const Value v = tuple({object({{"a", Value::unknown(Type::string())}}), num(1)});
  EXPECT_FALSE(v.wholly_known());
  EXPECT_TRUE(v.plain().items()[1].wholly_known());
  EXPECT_FALSE(v.contains_marks());
  const Value secret = tuple({tuple({str("s").with_marks(Marks::sensitive())})});
  EXPECT_TRUE(secret.contains_marks());
  EXPECT_TRUE(secret.contains_sensitive());
  EXPECT_FALSE(secret.is_marked());
  EXPECT_FALSE(tuple({str("s").with_marks(Marks::ephemeral())}).contains_sensitive());
}

TEST(Value, MarksAreAddedAndTakenOffAtEveryDepth) {
  const Value inner = str("s").with_marks(Marks::sensitive());
  const Value v = tuple({object({{"a", inner}}), Value::map(Type::string(), {{"k", inner}})})
                      .with_marks(Marks::ephemeral());
  EXPECT_TRUE(v.is_marked());
  EXPECT_EQ(v.marks(), Marks::ephemeral());
  EXPECT_EQ(v.deep_marks(), Marks::ephemeral().with(Marks::sensitive()));
  const auto bare = v.deep_unmarked();
  EXPECT_FALSE(bare.contains_marks());
  EXPECT_TRUE(raw_equal(
      bare, tuple({object({{"a", str("s")}}), Value::map(Type::string(), {{"k", str("s")}})})));
  EXPECT_TRUE(v.with_marks(Marks::ephemeral()).is_same(v));
  EXPECT_EQ(inner.type(), Type::string());
}

TEST(Value, MarksDoNotHideWhetherAValueIsNullOrKnown) {
  const Value null = Value::null(Type::string()).with_marks(Marks::sensitive());
  EXPECT_TRUE(null.is_null());
  EXPECT_TRUE(null.is_known());
  const Value unknown = Value::unknown(Type::string()).with_marks(Marks::ephemeral());
  EXPECT_TRUE(unknown.is_unknown());
  EXPECT_FALSE(unknown.is_known());
  EXPECT_FALSE(unknown.is_null());
  const Value refined = unknown.refined_not_null();
  EXPECT_EQ(refined.marks(), Marks::ephemeral());
  EXPECT_TRUE(refined.unmarked().refinements().not_null);
}

TEST(Value, WhatIsUnderTheMarksOutlivesTheMarkedValue) {
  const auto text = [] {
    return str("long enough for a node of its own").with_marks(Marks::sensitive()).unmarked();
  }();
  EXPECT_EQ(text.as_string(), "long enough for a node of its own");
  const auto plain = [] { return str("a temporary one, without marks").plain(); }();
  EXPECT_EQ(plain.as_string(), "a temporary one, without marks");
}

TEST(Value, OnlyWhatHasNoMarksIsPlain) {
  const Value secret = str("s").with_marks(Marks::sensitive());
  EXPECT_THROW(secret.plain(), base::InternalError);
  EXPECT_EQ(secret.unmarked().as_string(), "s");
  EXPECT_TRUE(secret.unmarked().with_marks(Marks::sensitive()).is_marked());
}

TEST(Value, SameMeansTypeContentNullnessRefinementsAndMarks) {
  Refinements prefix;
  prefix.prefix = "ami-";
  const Value unknown = Value::unknown(Type::string());
  const std::vector<Value> different = {
      num(1),
      num(2),
      str("1"),
      Value::boolean(true),
      Value::null(),
      Value::null(Type::string()),
      Value::unknown(),
      unknown,
      unknown.refined_not_null(),
      unknown.refined(prefix),
      tuple({}),
      tuple({num(1)}),
      tuple({str("1")}),
      Value::list(Type::number(), {num(1)}),
      Value::set(Type::number(), {num(1)}),
      Value::list(Type::number(), {}),
      Value::list(Type::string(), {}),
      object({}),
      object({{"a", num(1)}}),
      object({{"b", num(1)}}),
      Value::map(Type::number(), {{"a", num(1)}}),
      Value::map(Type::number(), {{"b", num(1)}}),
      num(1).with_marks(Marks::sensitive()),
      tuple({num(1).with_marks(Marks::sensitive())}),
  };
  for (std::size_t i = 0; i < different.size(); ++i) {
    for (std::size_t k = 0; k < different.size(); ++k) {
      EXPECT_EQ(raw_equal(different[i], different[k]), i == k) << i << ' ' << k;
    }
  }
}

TEST(Value, SameValuesHashAlikeHoweverTheyWereMade) {
  const auto build = [](Number one) {
    return tuple({object({{"a", Value::number(one)}, {"b", str("text")}}),
                  Value::map(Type::boolean(), {{"k", Value::boolean(true)}}),
                  Value::null(Type::list(Type::string()))});
  };
  const Value first = build(Number(1));
  const Value second = build(*Number::parse("1"));
  EXPECT_EQ(first.hash(), second.hash());
  EXPECT_TRUE(raw_equal(first, second));
  EXPECT_NE(first.hash(), build(Number(2)).hash());
  EXPECT_EQ(Value::number(Number::from_double(0.1)).hash(), dec("0.1").hash());
}

TEST(Value, ACapsuleIsTheThingItHolds) {
  const auto thing = std::make_shared<int>(7);
  const Type type = Type::capsule("number of ours");
  const Value v = Value::capsule(type, thing);
  EXPECT_EQ(*static_cast<const int*>(v.plain().as_capsule().get()), 7);
  EXPECT_TRUE(raw_equal(v, Value::capsule(type, thing)));
  EXPECT_FALSE(raw_equal(v, Value::capsule(type, std::make_shared<int>(7))));
  EXPECT_EQ(thing.use_count(), 2);
}

TEST(Value, IsFreedWithItsLastHandle) {
  const auto thing = std::make_shared<int>(1);
  {
    const Value v = Value::capsule(Type::capsule("counted"), thing);
    const Value around = tuple({object({{"a", v.with_marks(Marks::sensitive())}}), v});
    const Value copy = around;
    EXPECT_EQ(thing.use_count(), 2);
  }
  EXPECT_EQ(thing.use_count(), 1);
}

TEST(Value, AMillionLevelsAreMadeHashedComparedAndFreedWithoutStack) {
  const auto nested = [](std::string_view leaf) {
    Value v = str(leaf);
    // The type stays the same at every level, so only the values are deep.
    const Type type = Type::list(Type::dynamic());
    for (int i = 0; i < 1'000'000; ++i) {
      std::vector<Value> one;
      one.push_back(std::move(v));
      v = ValueRep::make_items(Kind::List, type, {}, one);
    }
    return v;
  };
  const Value a = nested("x");
  const Value b = nested("x");
  const Value c = nested("y");
  EXPECT_TRUE(raw_equal(a, b));
  EXPECT_FALSE(raw_equal(a, c));
  EXPECT_EQ(a.hash(), b.hash());
  EXPECT_NE(a.hash(), c.hash());
  EXPECT_EQ(canonical_compare(a, c), -1);
  EXPECT_FALSE(a.contains_sensitive());
}

TEST(Value, DeepMarksAreTakenOffWithoutStack) {
  Value v = str("s").with_marks(Marks::sensitive());
  for (int i = 0; i < 200'000; ++i) v = tuple({v});
  EXPECT_TRUE(v.contains_sensitive());
  EXPECT_FALSE(v.deep_unmarked().contains_marks());
}

TEST(Value, MayBeSharedByThreads) {
  const Value shared =
      tuple({str("a long enough string"), dec("0.1"), object({{"k", str("value")}})});
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&shared] {
      for (int i = 0; i < 10'000; ++i) {
        const Value copy = tuple({shared, shared.plain().items()[2]});
        EXPECT_NE(copy.hash(), 0u);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace tofu::value
