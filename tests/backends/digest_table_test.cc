#include "backends/digest_table.h"

#include <gtest/gtest.h>
#include <stop_token>

#include "base/hashes.h"

namespace tofu::backends {
namespace {

class FakeTable final : public DigestTable {
 public:
  FakeTable() : DigestTable("table", [this] { return stop.get_token(); }) {}
  std::stop_source stop;

  base::Result<Digests> digests(const std::string&) override { return row; }
  base::Result<void> put_digests(const std::string&, const Digests& digests) override {
    if (fails_after-- == 0) return base::Error{"it does not want to"};
    row = digests;
    return {};
  }
  base::Result<void> remove_digest(const std::string&) override {
    row = {};
    return {};
  }

  Digests row = {};
  int fails_after = -1;
  std::optional<std::string> locked = {};

 private:
  base::Result<std::optional<std::string>> lock_record(const std::string&) override {
    return locked;
  }
  base::Result<bool> add_lock(const std::string&, const std::string& record) override {
    if (locked) return false;
    locked = record;
    return true;
  }
  base::Result<void> remove_lock(const std::string&, const std::string& record) override {
    EXPECT_EQ(locked, record);
    locked.reset();
    return {};
  }
};

LockInfo lock_of(std::string id) {
  return {.id = std::move(id),
          .operation = "OperationTypeApply",
          .who = "somebody",
          .version = "1",
          .created = "2026-01-01T00:00:00Z",
          .path = "key"};
}

struct Bucket {
  std::optional<std::string> object = {};

  CheckedState::Fetch fetch() {
    return [this]() -> base::Result<std::optional<std::string>> { return object; };
  }
  // Stores it, and says whether it did.
  base::Result<void> put(CheckedState& state, const std::string& bytes, bool answers = true) {
    return state.put(base::TextPieces(bytes), [&]() -> base::Result<void> {
      object = bytes;
      if (!answers) return base::Error{"no answer"};
      return {};
    });
  }
};

std::string md5(const std::string& text) { return base::hex_digest(base::Hash::Md5, text); }

TEST(DigestTable, ALockIsTakenOnceAndGivenBackByItsHolder) {
  FakeTable table;
  EXPECT_EQ(table.lock("key", lock_of("one")).verdict, LockAnswer::Verdict::Locked);
  const LockAnswer second = table.lock("key", lock_of("two"));
  EXPECT_EQ(second.verdict, LockAnswer::Verdict::Held);
  ASSERT_TRUE(second.holder);
  EXPECT_EQ(second.holder->id, "one");
  EXPECT_EQ(table.holds("key", "one"), LockHold::Ours);
  EXPECT_EQ(table.holds("key", "two"), LockHold::Lost);
  EXPECT_FALSE(table.unlock("key", "two").ok());
  EXPECT_TRUE(table.unlock("key", "one").ok());
  EXPECT_EQ(table.holds("key", "one"), LockHold::Lost);
  EXPECT_FALSE(table.unlock("key", "one").ok());
}

TEST(DigestTable, ARecordThatIsNoLockIsHeldByNobodyThatIsKnown) {
  FakeTable table;
  table.locked = "nonsense";
  const LockAnswer answer = table.lock("key", lock_of("one"));
  EXPECT_EQ(answer.verdict, LockAnswer::Verdict::Held);
  EXPECT_FALSE(answer.holder);
  EXPECT_FALSE(table.unlock("key", "one").ok());
}

TEST(CheckedState, KeepsTheDigestOfWhatWasStored) {
  FakeTable table;
  Bucket bucket;
  CheckedState state(table, "key");
  ASSERT_TRUE(state.get(bucket.fetch()).ok());
  ASSERT_TRUE(bucket.put(state, "one").ok());
  ASSERT_TRUE(bucket.put(state, "two").ok());
  EXPECT_EQ(table.row.stored, md5("two"));
  EXPECT_EQ(table.row.noted, "");
  EXPECT_EQ(**state.get(bucket.fetch()), "two");
}

TEST(CheckedState, WhatWasStoredWithoutAnAnswerCanBeReadByAnotherRun) {
  FakeTable table;
  Bucket bucket;
  CheckedState state(table, "key");
  ASSERT_TRUE(bucket.put(state, "one").ok());
  for (const char* text : {"two", "three"}) {
    EXPECT_FALSE(bucket.put(state, text, false).ok());
    CheckedState other(table, "key");
    EXPECT_EQ(**other.get(bucket.fetch()), text);
  }
  bucket.object = "two";  // perhaps the third write did not happen
  CheckedState other(table, "key");
  EXPECT_EQ(**other.get(bucket.fetch()), "two");
  ASSERT_TRUE(bucket.put(other, "four").ok());
  EXPECT_EQ(table.row.stored, md5("four"));
}

TEST(CheckedState, ADigestThatWasNotStoredDoesNotHideTheState) {
  FakeTable table;
  Bucket bucket;
  CheckedState state(table, "key");
  ASSERT_TRUE(bucket.put(state, "one").ok());
  table.fails_after = 1;
  EXPECT_FALSE(bucket.put(state, "two").ok());
  CheckedState other(table, "key");
  EXPECT_EQ(**other.get(bucket.fetch()), "two");
}

TEST(CheckedState, AnInterruptEndsTheWaitForAStateThatFits) {
  FakeTable table;
  table.row.stored = md5("another");
  Bucket bucket{"state"};
  CheckedState state(table, "key");
  table.stop.request_stop();
  const auto found = state.get(bucket.fetch());
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().what, "it was interrupted");
}

TEST(CheckedState, IsNotStoredIfThatCannotBeNoted) {
  FakeTable table;
  Bucket bucket;
  CheckedState state(table, "key");
  ASSERT_TRUE(bucket.put(state, "one").ok());
  table.fails_after = 0;
  EXPECT_FALSE(bucket.put(state, "two").ok());
  EXPECT_EQ(bucket.object, "one");
}

}  // namespace
}  // namespace tofu::backends
