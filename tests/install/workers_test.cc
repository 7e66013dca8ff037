#include "install/workers.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace tofu::install {
namespace {

TEST(Workers, AllTasksAreDoneAfterWaiting) {
  std::atomic<int> done = 0;
  Workers workers(3);
  for (int i = 0; i < 100; ++i) workers.add([&] { ++done; });
  workers.wait();
  EXPECT_EQ(done, 100);
}

TEST(Workers, APromiseBrokenInATaskIsBrokenForWhoeverWaits) {
  std::atomic<int> done = 0;
  Workers workers(2);
  workers.add([] { base::broken_promise("it holds"); });
  for (int i = 0; i < 10; ++i) workers.add([&] { ++done; });
  EXPECT_THROW(workers.wait(), base::InternalError);
  EXPECT_EQ(done, 10);
  EXPECT_NO_THROW(workers.wait());
}

}  // namespace
}  // namespace tofu::install
