#include "tests/simulation/disk.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>

#include "base/file.h"

namespace tofu::simulation {
namespace {

// Does what the next Verdict says, once.
class OneVerdict final : public Fates {
 public:
  Verdict meet(Process&, Moment moment) override {
    if (moment != at) return {};
    return std::exchange(next, {});
  }
  Moment at = Moment::Write;
  Verdict next = {};
};

class DiskTest : public testing::Test {
 protected:
  ProcessDisk view() {
    return {disk_, process_, fates_, running_, [](const auto&, const auto&) {}};
  }
  // What a file can have after a power loss, by many tries.
  std::set<std::string> after_power_loss(const std::string& path) {
    std::set<std::string> seen;
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
      SimulatedDisk copy = disk_;
      Random random(seed);
      copy.lose_power(random);
      seen.insert(copy.names().contains(path) ? std::string(copy.content(path)) : "(none)");
    }
    return seen;
  }

  SimulatedDisk disk_;
  Process process_{.number = 1};
  OneVerdict fates_;
  std::map<std::int64_t, bool> running_;
};

TEST_F(DiskTest, WhatIsSyncedStays) {
  auto disk = view();
  const auto file = disk.open("a", base::OpenMode::Create, 0600);
  ASSERT_TRUE(base::write_all(**file, "one"));
  EXPECT_EQ(after_power_loss("a"),
            (std::set<std::string>{"(none)", "", "o", "on", "one", std::string(3, '\0')}));
  ASSERT_TRUE((*file)->sync());
  EXPECT_EQ(after_power_loss("a"), (std::set<std::string>{"(none)", "one"}));
  ASSERT_TRUE(disk.sync_directory("."));
  EXPECT_EQ(after_power_loss("a"), std::set<std::string>{"one"});
}

TEST_F(DiskTest, ARenameWithoutASyncOfTheDirectoryMayNotHaveHappened) {
  auto disk = view();
  ASSERT_TRUE(base::write_file(disk, "a", "old"));
  ASSERT_TRUE(base::write_file(disk, "a", "new", 0600, base::Sync::No));
  EXPECT_TRUE(after_power_loss("a").contains("old"));
  EXPECT_TRUE(after_power_loss("a").contains("new"));
  EXPECT_TRUE(after_power_loss("a").contains(""));  // the name outran the content
  ASSERT_TRUE(base::write_file(disk, "a", "third"));
  EXPECT_EQ(after_power_loss("a"), std::set<std::string>{"third"});
}

TEST_F(DiskTest, AFailedSyncDropsWhatItWasToWrite) {
  auto disk = view();
  const auto file = disk.open("a", base::OpenMode::Create, 0600);
  ASSERT_TRUE(disk.sync_directory("."));
  ASSERT_TRUE(base::write_all(**file, "lost"));
  fates_ = {};
  fates_.at = Moment::Sync;
  fates_.next = {.error = EIO};
  EXPECT_EQ((*file)->sync().error().value, EIO);
  ASSERT_TRUE((*file)->sync());
  EXPECT_EQ(after_power_loss("a"), std::set<std::string>{std::string(4, '\0')});
}

TEST_F(DiskTest, AShortWriteWritesAPart) {
  auto disk = view();
  const auto file = disk.open("a", base::OpenMode::Create, 0600);
  fates_.next = {.is_partly = true};
  EXPECT_EQ(*(*file)->write_some("abcd"), 2u);
}

TEST_F(DiskTest, TheDeadDoNothingAndHoldNoLock) {
  auto disk = view();
  const auto mine = disk.open("a", base::OpenMode::Create, 0600);
  ASSERT_TRUE(*(*mine)->try_lock());
  Process other{.number = 2};
  ProcessDisk of_other(disk_, other, fates_, running_, [](const auto&, const auto&) {});
  const auto theirs = of_other.open("a", base::OpenMode::Change, 0600);
  EXPECT_FALSE(*(*theirs)->try_lock());
  process_.is_alive = false;
  EXPECT_EQ((*mine)->write_some("x").error().value, EIO);
  EXPECT_EQ(disk.remove("a").error().value, EIO);
  EXPECT_TRUE(*(*theirs)->try_lock());
  EXPECT_EQ(disk_.content("a"), "");
}

}  // namespace
}  // namespace tofu::simulation
