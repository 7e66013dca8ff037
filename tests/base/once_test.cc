#include "base/once.h"

#include <atomic>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tofu::base {
namespace {

TEST(Once, ManyThreadsDoTheWorkOnceAndSeeItsResult) {
  Once once;
  int done = 0;
  std::atomic<int> seen = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      once.call([&] { ++done; });
      seen += done;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(done, 1);
  EXPECT_EQ(seen, 8);
}

TEST(Once, WorkThatThrowsIsDoneByTheNextCaller) {
  Once once;
  int done = 0;
  EXPECT_THROW(once.call([] { throw std::runtime_error("no memory"); }), std::runtime_error);
  once.call([&] { ++done; });
  once.call([&] { ++done; });
  EXPECT_EQ(done, 1);
}

}  // namespace
}  // namespace tofu::base
