#include "base/runtime.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <thread>

namespace tofu::base {
namespace {

using std::chrono::milliseconds;

bool comes_true(const std::function<bool()>& condition) {
  for (int tries = 0; tries < 2000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(milliseconds(5));
  }
  return false;
}

TEST(SystemRuntime, AWorkerWorksAfterEachNotificationAndALastTime) {
  std::atomic<int> turns = 0;
  {
    const auto worker = system_runtime().start_worker([&] { ++turns; }, std::chrono::hours(1));
    EXPECT_EQ(turns, 0);
    worker->notify();
    EXPECT_TRUE(comes_true([&] { return turns == 1; }));
    worker->notify();
    EXPECT_TRUE(comes_true([&] { return turns == 2; }));
  }
  EXPECT_GE(turns, 3);
}

TEST(SystemRuntime, AWorkerWorksInEveryPeriod) {
  std::atomic<int> turns = 0;
  const auto worker = system_runtime().start_worker([&] { ++turns; }, milliseconds(1));
  EXPECT_TRUE(comes_true([&] { return turns >= 3; }));
}

TEST(SystemRuntime, ItsClocksGoOn) {
  const auto before = system_runtime().now();
  EXPECT_LE(before, system_runtime().now());
  EXPECT_GT(system_runtime().date().time_since_epoch(), std::chrono::hours(24 * 365 * 50));
}

}  // namespace
}  // namespace tofu::base
