#include "base/thread.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace tofu::base {
namespace {

// Uses at least `bytes` of stack, a kilobyte at a time.
[[gnu::noinline]] std::size_t use_stack(std::size_t bytes) {
  volatile char room[1024];
  room[0] = static_cast<char>(bytes);
  if (bytes <= sizeof(room)) return static_cast<unsigned char>(room[0]) & 1U;
  return use_stack(bytes - sizeof(room)) + (static_cast<unsigned char>(room[0]) & 1U);
}

TEST(Thread, HasTheStackThatWasAskedFor) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  std::atomic<bool> ended = false;
  Thread thread(64 * kMegabyte, [&] {
    (void)use_stack(24 * kMegabyte);  // far more than threads get by themselves
    ended = true;
  });
  thread.join();
  EXPECT_TRUE(ended);
}

TEST(Thread, TheProcessorsThatMayBeUsedAreCounted) {
  EXPECT_GE(processors(), 1U);
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<std::size_t>(::sched_getcpu()), &one);
  ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(processors(), 1U);
  ASSERT_EQ(::sched_setaffinity(0, sizeof before, &before), 0);
}

TEST(Thread, TooLittleStackIsRoundedUp) {
  std::atomic<bool> ended = false;
  Thread(1, [&] { ended = true; }).join();
  EXPECT_TRUE(ended);
}

TEST(Thread, WhatOnlyShouldBeOnTheSideIsDoneHereWhereThereIsNoRoom) {
  std::thread::id where;
  const auto work = [&] { where = std::this_thread::get_id(); };
  Thread beside = Thread::start_or_run(1, work);
  EXPECT_TRUE(beside.joinable());
  beside.join();
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_FALSE(Thread::start_or_run(std::size_t{1} << 60, work).joinable());
  EXPECT_EQ(where, std::this_thread::get_id());
}

TEST(Thread, IsJoinedWhenItGoesAndOnlyOnce) {
  std::atomic<int> ended = 0;
  {
    std::vector<Thread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back(std::size_t{1} << 20, [&] { ++ended; });
    Thread moved = std::move(threads[0]);
    EXPECT_FALSE(threads[0].joinable());
    EXPECT_TRUE(moved.joinable());
    moved.join();
    EXPECT_FALSE(moved.joinable());
    moved.join();
    Thread().join();
  }
  EXPECT_EQ(ended, 4);
}

TEST(Stack, AThreadKnowsHowMuchItHas) {
  std::size_t inside = 0;
  Thread(std::size_t{3} << 20, [&] { inside = own_stack(); }).join();
  EXPECT_EQ(inside, std::size_t{3} << 20);
  std::thread([&] { inside = own_stack(); }).join();
  EXPECT_GT(inside, std::size_t{64} << 10);
}

TEST(Stack, TheFirstThreadGetsMore) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_STACK, &before), 0);
  const std::size_t more = own_stack() + (std::size_t{8} << 20);
  if (before.rlim_max < more) GTEST_SKIP() << "the system allows no more stack here";
  allow_stack(more);
  EXPECT_EQ(own_stack(), more);
  (void)use_stack(more / 8 * 5);  // a sanitizer makes frames half as large again
  allow_stack(1);                 // is less than there is
  EXPECT_EQ(own_stack(), more);
  ASSERT_EQ(::setrlimit(RLIMIT_STACK, &before), 0);
}

}  // namespace
}  // namespace tofu::base
