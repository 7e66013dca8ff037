#include "base/thread.h"

#include <atomic>
#include <gtest/gtest.h>
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

}  // namespace
}  // namespace tofu::base
