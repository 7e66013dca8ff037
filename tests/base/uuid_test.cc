#include "base/uuid.h"

#include <gtest/gtest.h>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace tofu::base {
namespace {

TEST(Uuid, HasDashesBetweenItsDigits) {
  UuidBytes bytes{};
  bytes[0] = 0x1f;
  bytes[15] = 0xa0;
  EXPECT_EQ(uuid_text(bytes), "1f000000-0000-0000-0000-0000000000a0");
}

TEST(UuidSource, GivesEachIdOnceToWhicheverThreadAsks) {
  UuidSource source;
  std::mutex mutex;
  std::set<std::string> seen;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const auto id = source.next();
        ASSERT_TRUE(id);
        const std::lock_guard lock(mutex);
        seen.insert(*id);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(seen.size(), 200);
  for (const std::string& id : seen) EXPECT_EQ(id.size(), 36);
}

}  // namespace
}  // namespace tofu::base
