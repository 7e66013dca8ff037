#include "tasks/executor.h"

#include <algorithm>
#include <atomic>
#include <barrier>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <set>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/thread.h"
#include "tasks/async.h"
#include "tasks/walk.h"

namespace tofu::tasks {
namespace {

constexpr std::size_t kStack = std::size_t{16} << 20;

std::size_t stack_of_this_thread() {
  pthread_attr_t attributes;
  EXPECT_EQ(::pthread_getattr_np(::pthread_self(), &attributes), 0);
  std::size_t bytes = 0;
  EXPECT_EQ(::pthread_attr_getstacksize(&attributes, &bytes), 0);
  ::pthread_attr_destroy(&attributes);
  return bytes;
}

// The thread that calls run() works as well if its stack is large enough: both kinds of callers.
void for_each_caller(const std::function<void()>& test) {
  for (const std::size_t stack : {std::size_t{1} << 20, kStack}) {
    SCOPED_TRACE(stack);
    base::Thread(stack, test).join();
  }
}

TEST(Executor, GivesEveryTaskTheStackThatWasAskedFor) {
  for_each_caller([] {
    for (const unsigned threads : {1U, 4U}) {
      Executor executor({.stack_bytes = kStack, .threads = threads});
      std::atomic<int> enough = 0;
      const auto task = [&]() -> Async<void> {
        if (stack_of_this_thread() >= kStack) ++enough;
        co_return;
      };
      for (int i = 0; i < 20; ++i) executor.start(task());
      executor.run();
      EXPECT_EQ(enough, 20);
    }
  });
}

TEST(Executor, OneThreadIsTheCallersIfThatHasEnoughStack) {
  const auto works_along = [](std::size_t stack) {
    bool is_caller = false;
    base::Thread(stack, [&] {
      Executor executor({.stack_bytes = kStack, .threads = 1});
      const auto caller = std::this_thread::get_id();
      const auto task = [&]() -> Async<void> {
        is_caller = std::this_thread::get_id() == caller;
        co_return;
      };
      executor.start(task());
      executor.run();
    }).join();
    return is_caller;
  };
  EXPECT_TRUE(works_along(kStack));
  EXPECT_FALSE(works_along(std::size_t{1} << 20));
}

TEST(Executor, ACallerThatWaitsIsToldOfWhatBecomesReadyElsewhere) {
  for_each_caller([] {
    for (const unsigned threads : {1U, 2U}) {
      Executor executor({.stack_bytes = kStack, .threads = threads});
      std::vector<base::Thread> answering;
      std::atomic<int> answered = 0;
      const auto asks = [&]() -> Async<void> {
        for (int i = 0; i < 20; ++i) {
          answered += co_await asking<int>(executor, [&](auto done) {
            answering.emplace_back(std::size_t{1} << 20, [done] { done(1); });
          });
        }
      };
      executor.start(asks());
      executor.run();
      EXPECT_EQ(answered, 20);
    }
  });
}

TEST(Executor, MakesTasksThatWaitTheirTurnOnlyWhenTheyBegin) {
  struct Counting final : Executor::Tasks {
    std::atomic<int> made = 0;
    std::atomic<int> ended = 0;
    int most_open = 0;
    Async<void> task(std::uint32_t number) override {
      ++made;
      return count(number);
    }
    Async<void> count(std::uint32_t /*number*/) {
      most_open = std::max(most_open, made - ended);
      ++ended;
      co_return;
    }
  } tasks;
  Executor executor({.stack_bytes = kStack, .threads = 1});
  for (std::uint32_t i = 0; i < 100; ++i) executor.start(tasks, i);
  EXPECT_EQ(tasks.made, 0);
  executor.run();
  EXPECT_EQ(tasks.ended, 100);
  EXPECT_EQ(tasks.most_open, 1);
}

TEST(Executor, ShufflingTakesUpWorkInAnotherOrderThatTheNumberDecides) {
  const auto order_with = [](std::uint64_t shuffle) {
    Executor executor({.stack_bytes = kStack, .threads = 1, .shuffle = shuffle});
    std::vector<int> order;
    const auto task = [&](int number) -> Async<void> {
      order.push_back(number);
      co_return;
    };
    for (int i = 0; i < 50; ++i) executor.start(task(i));
    executor.run();
    return order;
  };
  const std::vector<int> arrival = order_with(0);
  EXPECT_TRUE(std::ranges::is_sorted(arrival));
  EXPECT_NE(order_with(3), arrival);
  EXPECT_NE(order_with(4), order_with(3));
  EXPECT_EQ(order_with(3), order_with(3));
  EXPECT_EQ(std::set(arrival.begin(), arrival.end()).size(), 50U);
}

TEST(Executor, ThrowsWhatATaskThrewAfterAllHaveEnded) {
  for_each_caller([] {
    Executor executor({.stack_bytes = kStack, .threads = 2});
    std::atomic<int> ended = 0;
    const auto breaks = []() -> Async<void> {
      base::broken_promise("a test breaks one");
      co_return;
    };
    const auto goes_on = [&]() -> Async<void> {
      ++ended;
      co_return;
    };
    executor.start(breaks());
    for (int i = 0; i < 10; ++i) executor.start(goes_on());
    EXPECT_THROW(executor.run(), base::InternalError);
    EXPECT_EQ(ended, 10);
  });
}

TEST(Executor, RunsAgainAndCarriesOnWhatWasStartedInBetween) {
  for_each_caller([] {
    for (const unsigned threads : {1U, 3U}) {
      Executor executor({.stack_bytes = kStack, .threads = threads});
      std::atomic<int> ended = 0;
      const auto task = [&]() -> Async<void> {
        ++ended;
        co_return;
      };
      executor.run();  // there is nothing to wait for
      for (int i = 0; i < 40; ++i) executor.start(task());
      EXPECT_EQ(ended, 0);
      executor.run();
      EXPECT_EQ(ended, 40);
      executor.start(task());
      EXPECT_EQ(ended, 40);
      executor.run();
      EXPECT_EQ(ended, 41);
    }
  });
}

TEST(Executor, KeepsAllThreadsBusyWhereOneTaskStartsTheOthers) {
  for_each_caller([] {
    Executor executor({.stack_bytes = kStack, .threads = 3});
    std::barrier meet(3);
    const auto meets = [&]() -> Async<void> {
      meet.arrive_and_wait();
      co_return;
    };
    const auto starts = [&]() -> Async<void> {
      for (int i = 0; i < 3; ++i) executor.start(meets());
      co_return;
    };
    executor.start(starts());
    executor.run();
  });
}

TEST(Gate, LetsInNoMoreThanItHasPlaces) {
  for (const unsigned threads : {1U, 2U, 16U}) {
    Executor executor({.stack_bytes = kStack, .threads = threads});
    Gate gate(executor, 2);
    std::atomic<int> inside = 0;
    std::atomic<int> most = 0;
    std::atomic<int> ended = 0;
    const auto enter = [&]() -> Async<void> {
      const Gate::Place place = co_await gate.enter();
      const int now = ++inside;
      for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
      }
      --inside;
      ++ended;
    };
    for (int i = 0; i < 2000; ++i) executor.start(enter());
    executor.run();
    EXPECT_LE(most, 2);
    EXPECT_EQ(ended, 2000);
  }
}

TEST(Gate, WithoutAPlaceEverybodyWaitsForOne) {
  Executor executor({.stack_bytes = kStack, .threads = 2});
  Gate gate(executor, 0);
  std::vector<int> order;
  const auto enter = [&]() -> Async<void> {
    const Gate::Place place = co_await gate.enter();
    order.push_back(1);
  };
  const auto open = [&]() -> Async<void> {
    order.push_back(0);
    gate.add_place();
    co_return;
  };
  executor.start(enter());
  executor.start(open());
  executor.run();
  EXPECT_EQ(order, (std::vector{0, 1}));
}

base::Waits chain(std::initializer_list<std::vector<std::uint32_t>> waits) {
  base::Waits made;
  for (const auto& each : waits) {
    made.edges.insert(made.edges.end(), each.begin(), each.end());
    made.close();
  }
  return made;
}

// 1 and 2 wait for 0, 3 for 1.
TEST(Walk, ReleasesAThingWhenAllThatWaitsForItHasEndedVisitedOrNot) {
  const base::Waits waits = chain({{}, {0}, {0}, {1}});
  for (const std::uint32_t failing : {0U, 1U, 9U}) {
    Executor executor({.stack_bytes = kStack, .threads = 1});
    std::vector<std::uint32_t> visited;
    std::vector<std::uint32_t> released;
    Walk walk(
        waits, executor,
        [&](std::uint32_t thing) -> Async<bool> {
          visited.push_back(thing);
          co_return thing != failing;
        },
        [&](std::uint32_t thing) {
          released.push_back(thing);
          return true;
        });
    walk.start();
    executor.run();
    ASSERT_EQ(released.size(), 4U);
    EXPECT_EQ(released.back(), 0U);
    EXPECT_LT(std::ranges::find(released, 3U), std::ranges::find(released, 1U));
    EXPECT_EQ(std::ranges::count(visited, 3U), failing == 9 ? 1 : 0);
  }
}

TEST(Walk, WhatAThingStillHoldsIsReleasedWhenItIsPassedOn) {
  const base::Waits waits = chain({{}, {0}});
  Executor executor({.stack_bytes = kStack, .threads = 1});
  std::vector<std::uint32_t> released;
  Walk walk(
      waits, executor, [](std::uint32_t) -> Async<bool> { co_return true; },
      [&](std::uint32_t thing) {
        released.push_back(thing);
        return thing != 1;
      });
  walk.start();
  executor.run();
  EXPECT_EQ(released, (std::vector<std::uint32_t>{1}));
  walk.pass_on(1);
  EXPECT_EQ(released, (std::vector<std::uint32_t>{1, 0}));
}

}  // namespace
}  // namespace tofu::tasks
