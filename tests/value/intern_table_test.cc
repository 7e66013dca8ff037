#include "value/intern_table.h"

#include <deque>
#include <gtest/gtest.h>
#include <latch>
#include <thread>
#include <vector>

namespace tofu::value {
namespace {

struct Entry {
  int key = 0;
};

// Asks `table` for the entry of this key, and counts those that had to be made by keeping them.
const Entry* ask(InternTable<Entry>& table, std::uint64_t hash, int key, std::deque<Entry>& made) {
  return table.find_or_make(
      hash, [&](const Entry& entry) { return entry.key == key; },
      [&] { return &made.emplace_back(Entry{key}); });
}

TEST(InternTable, MakesAnEntryOnce) {
  InternTable<Entry> table;
  std::deque<Entry> made;
  const Entry* first = ask(table, 7, 1, made);
  EXPECT_EQ(first->key, 1);
  EXPECT_EQ(ask(table, 7, 1, made), first);
  EXPECT_EQ(made.size(), 1u);
}

TEST(InternTable, SeparatesEntriesWithTheSameHash) {
  InternTable<Entry> table;
  std::deque<Entry> made;
  const Entry* one = ask(table, 7, 1, made);
  const Entry* two = ask(table, 7, 2, made);
  EXPECT_NE(one, two);
  EXPECT_EQ(ask(table, 7, 1, made), one);
  EXPECT_EQ(ask(table, 7, 2, made)->key, 2);
}

// Threads add entries with few different hashes to a new table, each entry by two of them, so that
// most additions meet another one at the same place. A table that finds a free place first and
// reads it again later returns an entry that another thread has put there meanwhile: so did one of
// ours, in each run under the thread sanitizer and in one of six without.
TEST(InternTable, ReturnsTheRequestedEntryToEachOfSixteenThreads) {
  constexpr int kThreads = 16;
  constexpr int kRounds = 10;
  constexpr int kKeys = 100 * kThreads / 2;
  for (int round = 0; round < kRounds; ++round) {
    InternTable<Entry> table;
    std::latch start(kThreads);
    std::vector<std::deque<Entry>> made(kThreads);
    std::vector<std::vector<const Entry*>> found(kThreads);
    std::vector<std::thread> threads;
    for (int number = 0; number < kThreads; ++number) {
      threads.emplace_back([&, number] {
        const auto get = [&](int key) {
          return ask(table, static_cast<std::uint64_t>(key) % 16, key, made[number]);
        };
        start.arrive_and_wait();
        for (int key = number / 2; key < kKeys; key += kThreads / 2) {
          EXPECT_EQ(get(key)->key, key);
        }
        for (int key = 0; key < kKeys; ++key) found[number].push_back(get(key));
      });
    }
    for (std::thread& thread : threads) thread.join();

    std::size_t count = 0;
    for (const auto& entries : made) count += entries.size();
    EXPECT_EQ(count, kKeys) << "an entry was made twice";
    for (int key = 0; key < kKeys; ++key) EXPECT_EQ(found[0][key]->key, key);
    for (const auto& entries : found) ASSERT_EQ(entries, found.front());
  }
}

}  // namespace
}  // namespace tofu::value
