#include "state/journal.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "addrs/parse.h"
#include "addrs/text.h"
#include "base/file.h"
#include "state/journal_writer.h"
#include "state/recovery.h"
#include "state/state_file.h"

namespace tofu::state {
namespace {

addrs::AbsResourceInstance address(std::string_view text) {
  diag::Diagnostics diags;
  return *addrs::parse_text(text, addrs::parse_abs_resource_instance, diags);
}

const addrs::AbsProviderInstance kProvider{{{}, addrs::default_provider("x"), ""}, {}};

Object object(const std::string& id) {
  return Object(ObjectFields{.attributes = "{\"id\":\"" + id + "\"}"});
}

JournalIntent intent(std::string_view text, Action action) {
  return {address(text), "", action, kProvider, "p", "2026-01-02T03:04:05Z"};
}

JournalDone done(std::string_view text, Object result, std::string deposed_key = "") {
  return {address(text), std::move(deposed_key), kProvider, std::move(result)};
}

const JournalBegin kBegin{.lineage = "l", .serial = 4, .workspace = "w", .version = "1"};

std::string bytes_of(const std::vector<JournalRecord>& records) {
  std::string bytes(journal_head());
  for (const JournalRecord& record : records) bytes += *frame_record(record, no_encryption());
  return bytes;
}

Journal journal_of(std::vector<JournalRecord> records) {
  records.insert(records.begin(), kBegin);
  return {.records = std::move(records)};
}

// One of each kind.
std::vector<JournalRecord> all_kinds() {
  CheckResult check{
      CheckKind::Check, "check.c", CheckStatus::Fail, {{"check.c", CheckStatus::Fail, {"no"}}}};
  return {kBegin,
          intent("module.m[\"k\"].x.a[0]", Action::Update),
          done("module.m[\"k\"].x.a[0]", object("1").with_status(ObjectStatus::Tainted)),
          done("data.x.b", Object(), "00000001"),
          JournalOutput{"o", Output{value::Value::integer(1), true, "old"}},
          JournalOutput{"gone", std::nullopt},
          JournalCheck{check},
          JournalSaving{5, "d"},
          JournalEnd{5}};
}

TEST(Journal, EveryKindOfRecordReadsBackAsItWas) {
  const auto records = all_kinds();
  const Journal journal = read_journal(bytes_of(records), no_encryption());
  ASSERT_EQ(journal.records.size(), records.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    EXPECT_EQ(encode_record(journal.records[i]), encode_record(records[i]));
  }
  EXPECT_TRUE(journal.has_ended());
  EXPECT_FALSE(journal.torn);
  EXPECT_FALSE(journal.damage);
  const auto& result = std::get<JournalDone>(journal.records[2]);
  EXPECT_EQ(result.object.status(), ObjectStatus::Tainted);
  EXPECT_EQ(result.object.attributes(), "{\"id\":\"1\"}");
}

TEST(Journal, CutOffAtAnyByteItHasTheRecordsBefore) {
  const auto records = all_kinds();
  const std::string bytes = bytes_of(records);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Journal journal =
        read_journal(std::string_view(bytes).substr(0, length), no_encryption());
    std::string whole(journal_head());
    std::size_t complete = 0;
    for (const JournalRecord& record : records) {
      whole += *frame_record(record, no_encryption());
      if (whole.size() > length) break;
      ++complete;
    }
    EXPECT_EQ(journal.records.size(), complete) << length;
    EXPECT_FALSE(journal.damage) << length;
  }
}

TEST(Journal, DamagedAtAnyByteItHasTheRecordsBeforeAndSaysWhere) {
  const auto records = all_kinds();
  const std::string good = bytes_of(records);
  std::vector<std::size_t> starts{0};
  std::string whole(journal_head());
  for (const JournalRecord& record : records) {
    starts.push_back(whole.size());
    whole += *frame_record(record, no_encryption());
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char flip : {'\x01', '\x80'}) {
      std::string bytes = good;
      bytes[at] ^= flip;
      const Journal journal = read_journal(bytes, no_encryption());
      const auto behind = std::upper_bound(starts.begin(), starts.end(), at);
      ASSERT_TRUE(journal.damage) << at;
      EXPECT_EQ(journal.damage->offset, *(behind - 1)) << at;
      const auto number = static_cast<std::size_t>(behind - starts.begin()) - 1;
      EXPECT_EQ(journal.records.size(), number == 0 ? 0 : number - 1) << at;
    }
  }
}

TEST(Journal, ZerosAtTheEndAreWhatAPowerFailureLeaves) {
  const std::string bytes = bytes_of(all_kinds());
  const Journal after = read_journal(bytes + std::string(500, '\0'), no_encryption());
  EXPECT_EQ(after.records.size(), all_kinds().size());
  EXPECT_TRUE(after.torn);
  EXPECT_FALSE(after.damage);
  std::string hole = bytes;
  std::fill(hole.end() - 10, hole.end(), '\0');
  EXPECT_EQ(read_journal(hole, no_encryption()).records.size(), all_kinds().size() - 1);
  EXPECT_TRUE(read_journal(hole, no_encryption()).torn);
}

TEST(Journal, HasToBeginWithItsBeginning) {
  const Journal journal = read_journal(bytes_of({JournalEnd{1}}), no_encryption());
  EXPECT_TRUE(journal.records.empty());
  EXPECT_TRUE(journal.damage);
}

// Has the form of real encryption, and a key that may be another.
class FakeEncryption final : public Encryption {
 public:
  explicit FakeEncryption(char key) : head_("{\"meta\":\"" + std::string(1, key) + "\"}") {}

  bool is_plain() const override { return false; }
  base::Result<std::string> encrypt(std::string_view text) const override {
    return encrypt_record(text);
  }
  base::Result<std::string> decrypt(std::string_view stored) const override {
    return decrypt_record(stored);
  }
  bool is_outdated(std::string_view) const override { return false; }
  base::Result<std::string> encrypt_record(std::string_view text) const override {
    return head_ + std::string(text.rbegin(), text.rend());
  }
  base::Result<std::string> decrypt_record(std::string_view stored) const override {
    if (!stored.starts_with(head_)) return base::Error{"another key"};
    return std::string(stored.rbegin(), stored.rend() - static_cast<std::ptrdiff_t>(head_.size()));
  }

 private:
  std::string head_;
};

std::string encrypted_bytes(const Encryption& encryption) {
  std::string bytes(journal_head());
  for (const JournalRecord& record : all_kinds()) bytes += *frame_record(record, encryption);
  return bytes;
}

TEST(Journal, EachRecordIsEncrypted) {
  const FakeEncryption encryption('a');
  const std::string bytes = encrypted_bytes(encryption);
  EXPECT_EQ(bytes.find("lineage"), std::string::npos);
  const Journal journal = read_journal(bytes, encryption);
  EXPECT_EQ(journal.records.size(), all_kinds().size());
  EXPECT_EQ(journal.undecrypted, "");
}

TEST(Journal, WhatCannotBeDecryptedIsNotTakenForDamaged) {
  const std::string bytes = encrypted_bytes(FakeEncryption('a'));
  const Journal with_another_key = read_journal(bytes, FakeEncryption('b'));
  EXPECT_EQ(with_another_key.undecrypted, "another key");
  EXPECT_FALSE(with_another_key.damage);
  const Journal without_a_key = read_journal(bytes, no_encryption());
  EXPECT_EQ(without_a_key.undecrypted, "it is encrypted");
  EXPECT_FALSE(without_a_key.damage);
  EXPECT_TRUE(without_a_key.records.empty());
}

class JournalFile : public testing::Test {
 protected:
  void SetUp() override {
    path_ = testing::TempDir() + "/journal-" +
            testing::UnitTest::GetInstance()->current_test_info()->name();
    std::remove(path_.c_str());
  }
  void TearDown() override { std::remove(path_.c_str()); }
  std::string path_;
};

TEST_F(JournalFile, ManyThreadsWriteAndEachRecordIsThere) {
  auto writer = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(writer);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const std::string name = "x.t" + std::to_string(thread) + "[" + std::to_string(i) + "]";
        const auto ticket = (*writer)->append(done(name, object(name)));
        EXPECT_TRUE((*writer)->wait(ticket));
        // What was waited for is in the file by now.
        const Journal seen = read_journal(*base::read_file(path_), no_encryption());
        EXPECT_GE(seen.records.size(), ticket.number);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Journal journal = read_journal(*base::read_file(path_), no_encryption());
  EXPECT_EQ(journal.records.size(), 201);
  EXPECT_FALSE(journal.torn);
  EXPECT_TRUE((*writer)->remove());
  EXPECT_EQ(*base::file_kind(path_), base::FileKind::Missing);
}

TEST_F(JournalFile, OneThatEndedIsGoneAndSaysSoWhereACrashBringsItBack) {
  auto writer = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(writer);
  (void)(*writer)->append(done("x.a", object("a")));
  const std::string again = path_ + ".again";
  ASSERT_EQ(::link(path_.c_str(), again.c_str()), 0);
  EXPECT_TRUE((*writer)->end(5));
  EXPECT_EQ(*base::file_kind(path_), base::FileKind::Missing);
  const Journal journal = read_journal(*base::read_file(again), no_encryption());
  EXPECT_TRUE(journal.has_ended());
  EXPECT_EQ(journal.records.size(), 3);
  std::remove(again.c_str());
}

TEST_F(JournalFile, WhatNobodyWaitsForIsWrittenAllTheSame) {
  auto writer = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(writer);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int i = 0; i < 25; ++i) {
        const auto ticket = (*writer)->append(done("x.a", object("a")));
        // Others come while the disk is waited for.
        if (thread == 0) {
          EXPECT_TRUE((*writer)->wait(ticket));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const Journal seen = read_journal(*base::read_file(path_), no_encryption());
  EXPECT_EQ(seen.records.size(), 101u);
  EXPECT_FALSE(seen.torn);
}

TEST_F(JournalFile, IsNotMadeOverOneThatIsLeft) {
  ASSERT_TRUE(JournalWriter::create(path_, kBegin, no_encryption()));
  EXPECT_FALSE(JournalWriter::create(path_, kBegin, no_encryption()));
}

TEST(JournalWriter, AFullDiskIsToldToEverybodyWhoWaits) {
  // Every write to it fails for want of space.
  if (!base::read_file("/proc/self/mounts")) GTEST_SKIP();
  EXPECT_FALSE(JournalWriter::create("/dev/full", kBegin, no_encryption()));
}

State before() {
  State state;
  state.lineage = "l";
  state.serial = 4;
  state.set_object(address("x.old"), "", object("old"), kProvider);
  return state;
}

TEST(Recovery, RecordsCompleteTheStateTheyBeganWith) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({intent("x.a", Action::Create), done("x.a", object("1")),
                                  intent("x.old", Action::Delete), done("x.old", Object()),
                                  JournalOutput{"o", Output{value::Value::integer(1)}},
                                  intent("x.b", Action::Create)}));

  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_TRUE(recovery.changed);
  EXPECT_EQ(recovery.state.serial, 5);
  EXPECT_EQ(recovery.recovered, (std::vector<std::string>{"x.a", "x.old"}));
  EXPECT_NE(recovery.state.object(address("x.a")), nullptr);
  EXPECT_EQ(recovery.state.object(address("x.old")), nullptr);
  EXPECT_TRUE(recovery.state.outputs.contains("o"));
  ASSERT_EQ(recovery.in_flight.size(), 1);
  EXPECT_EQ(recovery.in_flight[0].address.to_string(), "x.b");
  EXPECT_EQ(recovery.in_flight[0].action, Action::Create);
  EXPECT_EQ(recovery.in_flight[0].since, "2026-01-02T03:04:05Z");
}

TEST(Recovery, AStateThatTheRunStoredOnItsWayIsCompletedToo) {
  State state = before();
  state.serial = 5;
  state.set_object(address("x.a"), "", object("1"), kProvider);
  const JournalSaving saving{5, content_digest(state)};
  const Journal journal = journal_of({done("x.a", object("1")), saving, done("x.b", object("2"))});
  const Recovery recovery = recover(&state, journal);
  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_EQ(recovery.recovered, std::vector<std::string>{"x.b"});

  state.set_object(address("x.c"), "", object("somebody else's"), kProvider);
  EXPECT_EQ(recover(&state, journal).verdict, Verdict::Conflict);
}

TEST(Recovery, ANewerStateThatHasItAllNeedsNothing) {
  State state = before();
  const Journal journal = journal_of({done("x.a", object("0")), done("x.a", object("1"))});
  State recovered = recover(&state, journal).state;
  const Recovery again = recover(&recovered, journal);
  EXPECT_EQ(again.verdict, Verdict::Contained);
  EXPECT_FALSE(again.changed);
  EXPECT_EQ(again.state.serial, recovered.serial);
}

TEST(Recovery, AnotherHistoryIsAConflictThatNamesBoth) {
  const Journal journal = journal_of({done("x.a", object("1"))});
  State state = before();
  state.lineage = "other";
  const Recovery other = recover(&state, journal);
  EXPECT_EQ(other.verdict, Verdict::Conflict);
  EXPECT_NE(other.conflict.find("\"other\""), std::string::npos);
  EXPECT_NE(other.conflict.find("\"l\""), std::string::npos);

  state = before();
  state.serial = 9;
  EXPECT_EQ(recover(&state, journal).verdict, Verdict::Conflict);
  state.serial = 3;  // a backup was put back
  EXPECT_EQ(recover(&state, journal).verdict, Verdict::Conflict);
  EXPECT_EQ(recover(nullptr, journal).verdict, Verdict::Conflict);
  EXPECT_EQ(recover(nullptr, journal).recovered, std::vector<std::string>{"x.a"});
}

TEST(Recovery, TheFirstRunOfAWorkspaceIsRecoveredWithoutAState) {
  JournalBegin begin = kBegin;
  begin.is_new = true;
  begin.serial = 0;
  const Journal journal{.records = {begin, done("x.a", object("1"))}};
  const Recovery recovery = recover(nullptr, journal);
  EXPECT_EQ(recovery.verdict, Verdict::Apply);
  EXPECT_EQ(recovery.state.lineage, "l");
  EXPECT_EQ(recovery.state.serial, 1);
}

TEST(Recovery, ARunThatEndedOrDidNothingNeedsNothing) {
  const State state = before();
  EXPECT_EQ(recover(&state, journal_of({done("x.a", object("1")), JournalEnd{5}})).verdict,
            Verdict::Nothing);
  EXPECT_EQ(recover(&state, Journal{}).verdict, Verdict::Nothing);
  const Recovery begun = recover(&state, journal_of({}));
  EXPECT_EQ(begun.verdict, Verdict::Apply);
  EXPECT_FALSE(begun.changed);
  EXPECT_EQ(begun.state.serial, 4);
}

TEST(Recovery, ADeposedObjectAndItsSuccessorAreTwoObjects) {
  const State state = before();
  const Recovery recovery =
      recover(&state, journal_of({done("x.old", object("old"), "00000001"), done("x.old", Object()),
                                  intent("x.old", Action::Create), done("x.old", object("new"))}));
  EXPECT_EQ(recovery.state.object(address("x.old"))->attributes(), "{\"id\":\"new\"}");
  EXPECT_EQ(recovery.state.object(address("x.old"), "00000001")->attributes(), "{\"id\":\"old\"}");
  EXPECT_TRUE(recovery.in_flight.empty());
}

}  // namespace
}  // namespace tofu::state
