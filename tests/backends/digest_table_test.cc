#include "backends/digest_table.h"

#include <gtest/gtest.h>

#include "transport/hashes.h"

namespace tofu::backends {
namespace {

class FakeTable final : public DigestTable {
 public:
  bool is_used() const override { return true; }
  const std::string& name() const override { return name_; }
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

 private:
  std::string name_ = "table";
};

struct Bucket {
  std::optional<std::string> object = {};

  CheckedState::Fetch fetch() {
    return [this]() -> base::Result<std::optional<std::string>> { return object; };
  }
  // Stores it, and says whether it did.
  base::Result<void> put(CheckedState& state, const std::string& bytes, bool answers = true) {
    return state.put(bytes, [&]() -> base::Result<void> {
      object = bytes;
      if (!answers) return base::Error{"no answer"};
      return {};
    });
  }
};

std::string md5(const std::string& text) {
  return transport::hex_digest(transport::Hash::Md5, text);
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
