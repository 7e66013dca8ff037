#include "symbols/library_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <vector>

namespace tofu::symbols {
namespace {

using value::Value;

class LibraryCallsTest : public ::testing::Test {
 protected:
  LibraryCalls::Outcome call(const std::vector<Value>& arguments,
                             Value result = Value::integer(1)) {
    return calls_.call(function_, arguments, [&]() -> LibraryCalls::Outcome {
      ++computed_;
      return result;
    });
  }

  LibraryCalls calls_;
  LibraryFunction function_;
  int computed_ = 0;
};

TEST_F(LibraryCallsTest, TheSameArgumentsAreComputedOnce) {
  EXPECT_EQ(call({Value::string("a"), Value::integer(1)})->plain().as_number(), value::Number(1));
  EXPECT_EQ(call({Value::string("a"), Value::integer(1)})->plain().as_number(), value::Number(1));
  EXPECT_EQ(computed_, 1);
}

TEST_F(LibraryCallsTest, ArgumentsDifferByTypeOrderMarksAndWhatIsKnown) {
  const std::vector<std::vector<Value>> all{
      {},
      {Value::integer(1)},
      {Value::string("1")},
      {Value::integer(1), Value::integer(2)},
      {Value::integer(2), Value::integer(1)},
      {Value::integer(1).with_marks(value::Marks::sensitive())},
      {Value::integer(1).with_marks(value::Marks::ephemeral())},
      {Value::null(value::Type::number())},
      {Value::null(value::Type::string())},
      {Value::unknown(value::Type::number())},
      {Value::unknown(value::Type::number()).refined_not_null()},
      {Value::tuple({Value::integer(1)})},
      {Value::list(value::Type::number(), {Value::integer(1)})},
  };
  for (int round = 0; round < 2; ++round) {
    for (const auto& arguments : all) (void)call(arguments);
    EXPECT_EQ(computed_, static_cast<int>(all.size()));
  }
}

TEST_F(LibraryCallsTest, FunctionsHaveTheirOwnResults) {
  LibraryFunction other;
  (void)call({Value::integer(1)});
  const std::vector<Value> arguments{Value::integer(1)};
  const auto outcome = calls_.call(
      other, arguments, []() -> LibraryCalls::Outcome { return Value::string("other"); });
  EXPECT_EQ(outcome->plain().as_string(), "other");
}

TEST_F(LibraryCallsTest, OnlySoManyResultsAreKeptAndTheOldestIsDroppedFirst) {
  for (int i = 0; i < 10'000; ++i) (void)call({Value::integer(i)});
  EXPECT_LT(calls_.kept(), 10'000U);
  computed_ = 0;
  (void)call({Value::integer(9'999)});
  EXPECT_EQ(computed_, 0);
  (void)call({Value::integer(0)});
  EXPECT_EQ(computed_, 1);
}

TEST_F(LibraryCallsTest, LargeResultsTakeTheRoomOfManySmallOnes) {
  for (int i = 0; i < 100; ++i) {
    (void)call({Value::integer(i)}, Value::string(std::string(std::size_t{4} << 20, 'x')));
  }
  EXPECT_LE(calls_.kept(), 16U);
  EXPECT_GE(calls_.kept(), 8U);
}

TEST_F(LibraryCallsTest, ThreadsEvaluateByThemselves) {
  const LibraryCalls::Evaluation here(calls_);
  std::vector<LibraryFunction> functions(4);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([this, t, &own = functions[static_cast<std::size_t>(t)]] {
      for (int i = 0; i < 1'000; ++i) {
        const std::vector<Value> arguments{Value::integer(i % 7)};
        const auto outcome = calls_.call(own, arguments, [&]() -> LibraryCalls::Outcome {
          return Value::integer(t * 10 + i % 7);
        });
        EXPECT_EQ(outcome->plain().as_number(), value::Number(t * 10 + i % 7));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_FALSE(here.is_exhausted());
}

}  // namespace
}  // namespace tofu::symbols
