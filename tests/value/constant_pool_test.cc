#include "value/constant_pool.h"

#include <atomic>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace tofu::value {
namespace {

TEST(ConstantPool, KeepsWhatItIsGivenWhereItIs) {
  ConstantPool pool;
  std::vector<const Value*> kept;
  for (int i = 0; i < 10'000; ++i) kept.push_back(pool.ascii("string " + std::to_string(i)));
  for (int i = 0; i < 10'000; ++i) {
    EXPECT_EQ(kept[static_cast<std::size_t>(i)]->plain().as_string(),
              "string " + std::to_string(i));
  }
  EXPECT_EQ(pool.ascii("")->plain().as_string(), "");
  EXPECT_TRUE(pool.boolean(true)->plain().as_bool());
  EXPECT_FALSE(pool.boolean(false)->plain().as_bool());
  EXPECT_TRUE(pool.null()->is_null());
  EXPECT_EQ(pool.keep(Value::integer(7))->plain().as_number().to_string(), "7");
}

TEST(ConstantPool, StringsAreNormalizedAndOfAnyLength) {
  ConstantPool pool;
  EXPECT_EQ(pool.string("e\u0301")->plain().as_string(), "\u00e9");
  const std::string large(1'000'000, 'x');
  EXPECT_EQ(pool.string(large)->plain().as_string(), large);
  EXPECT_EQ(pool.string("after")->plain().as_string(), "after");
}

TEST(ConstantPool, CopiesOutliveIt) {
  std::vector<Value> copies;
  {
    ConstantPool pool;
    for (int i = 0; i < 1'000; ++i) {
      const Value* kept = pool.ascii("string " + std::to_string(i));
      if (i % 100 == 0) copies.push_back(*kept);
      if (i % 250 == 0) copies.push_back(Value::tuple({*kept}));
    }
  }
  EXPECT_EQ(copies.front().plain().as_string(), "string 0");
  EXPECT_EQ(copies.back().plain().as_string(), "string 900");
  EXPECT_EQ(copies[1].plain().items()[0].plain().as_string(), "string 0");
}

TEST(ConstantPool, WhatIsKeptForeverOutlivesItWithoutBeingCounted) {
  std::optional<ConstantPool> pool(std::in_place);
  std::vector<const Value*> kept;
  for (int i = 0; i < 1'000; ++i) kept.push_back(pool->ascii("string " + std::to_string(i)));
  kept.push_back(pool->string("caf\u00e9, which is not ASCII"));
  kept.push_back(pool->keep(Value::number(*Number::parse("0.1"))));
  kept.push_back(pool->keep(Value::integer(7)));
  kept.push_back(pool->keep(Value::boolean(true)));
  kept.push_back(pool->keep(Value::string("")));
  const Value before = *kept[3];  // a copy that was counted
  pool->make_immortal();
  const Value* later = pool->ascii("one that comes later is counted");
  const Value copy_of_later = *later;
  pool.reset();
  std::vector<Value> copies;
  for (const Value* each : kept) copies.push_back(*each);
  const auto count = [](const Value& v) { return ValueRep::node(v)->refs.load(); };
  for (std::size_t i = 0; i < 1'002; ++i) {
    EXPECT_EQ(count(copies[i]), i == 3 ? 2U : 1U) << i;
  }
  EXPECT_EQ(copies[999].plain().as_string(), "string 999");
  EXPECT_EQ(copies[1'000].plain().as_string(), "caf\u00e9, which is not ASCII");
  EXPECT_EQ(copies[1'001].plain().as_number().to_string(), "0.1");
  EXPECT_EQ(copies[1'002].plain().as_number().to_string(), "7");
  EXPECT_EQ(before.plain().as_string(), "string 3");
  EXPECT_EQ(copy_of_later.plain().as_string(), "one that comes later is counted");
}

TEST(ConstantPool, CopiesMayGoInOtherThreads) {
  std::optional<ConstantPool> pool(std::in_place);
  const Value* kept = pool->ascii("shared");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([copy = *kept] {
      for (int round = 0; round < 1'000; ++round) {
        const Value another = copy;
        EXPECT_EQ(another.plain().as_string(), "shared");
      }
    });
  }
  pool.reset();
  for (std::thread& thread : threads) thread.join();
}

// The last copies go in another thread while the pool walks the block that they are
// in. The moment in which that matters is short, so there are many rounds, and
// both threads begin each of them together.
TEST(ConstantPool, TheLastCopyMayGoWhileItGoes) {
  constexpr int kRounds = 20'000;
  const auto wait_for = [](const std::atomic<int>& round, int wanted) {
    for (int turns = 0; round.load(std::memory_order_acquire) < wanted; ++turns) {
      if (turns > 1'000) std::this_thread::yield();  // the other may need this core
    }
  };
  std::optional<ConstantPool> pool;
  std::vector<Value> copies;
  std::atomic<int> begun = 0;
  std::atomic<int> ended = 0;
  std::thread other([&] {
    for (int round = 1; round <= kRounds; ++round) {
      wait_for(begun, round);
      copies.clear();
      ended.store(round, std::memory_order_release);
    }
  });
  for (int round = 1; round <= kRounds; ++round) {
    pool.emplace();
    for (int i = 0; i < 4; ++i) copies.push_back(*pool->ascii("shared"));
    begun.store(round, std::memory_order_release);
    pool.reset();
    wait_for(ended, round);
  }
  other.join();
  EXPECT_TRUE(copies.empty());
}

}  // namespace
}  // namespace tofu::value
