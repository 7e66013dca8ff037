#include "providers/io_loop.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <latch>
#include <vector>

#include "base/check.h"

namespace tofu::providers {
namespace {

TEST(IoLoop, DoesWorkInTheOrderInWhichItCame) {
  std::vector<int> done;
  {
    IoLoop loop;
    for (int i = 0; i < 100; ++i) loop.post([&done, i] { done.push_back(i); });
  }
  ASSERT_EQ(done.size(), 100U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
}

TEST(IoLoop, CallsTimersInTheOrderOfTheirTimes) {
  std::vector<int> done;
  std::latch both(2);
  IoLoop loop;
  loop.post([&] {
    loop.after(std::chrono::milliseconds(20), [&] {
      done.push_back(2);
      both.count_down();
    });
    loop.after(std::chrono::milliseconds(1), [&] {
      done.push_back(1);
      both.count_down();
    });
    loop.cancel(loop.after(std::chrono::milliseconds(1), [&] { done.push_back(3); }));
  });
  both.wait();
  EXPECT_EQ(done, (std::vector<int>{1, 2}));
}

TEST(IoLoop, KeepsABrokenPromiseForWhoAsks) {
  IoLoop loop;
  loop.run([] { TOFU_CHECK(false, "this is broken on purpose"); });
  EXPECT_ANY_THROW(loop.check());
  loop.run([] {});
  loop.check();
}

}  // namespace
}  // namespace tofu::providers
