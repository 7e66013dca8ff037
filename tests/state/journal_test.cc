#include "state/journal.h"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <zlib.h>

#include "base/disk.h"
#include "base/file.h"
#include "state/journal_writer.h"
#include "state/recovery.h"
#include "state/state_file.h"
#include "tests/state/full_disk.h"
#include "tests/state/journal_samples.h"
#include "tests/state/stored_journals.h"

namespace tofu::state {
namespace {

using journals::address;
using journals::bytes_of;
using journals::done;
using journals::Ended;
using journals::frames_of;
using journals::intent;
using journals::joined;
using journals::kBegin;
using journals::kProvider;
using journals::kTime;
using journals::object;
using journals::provisioning;

// One of each kind.
std::vector<JournalRecord> all_kinds() {
  CheckResult check{
      CheckKind::Check, "check.c", CheckStatus::Fail, {{"check.c", CheckStatus::Fail, {"no"}}}};
  return {kBegin,
          intent("module.m[\"k\"].x.a[0]", Action::Update),
          done("module.m[\"k\"].x.a[0]", object("1").with_status(ObjectStatus::Tainted)),
          done("data.x.b", Object(), "00000001"),
          provisioning("x.p", Action::Create),
          provisioning("x.p", Action::Delete, Ended::Yes),
          JournalLost{address("x.l"), "00000002", kProvider, Action::Update, kTime},
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
  const auto frames = frames_of(records);
  const std::string bytes = joined(frames);
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const Journal journal =
        read_journal(std::string_view(bytes).substr(0, length), no_encryption());
    std::size_t end = journal_head().size();
    std::size_t complete = 0;
    for (const std::string& frame : frames) {
      end += frame.size();
      if (end > length) break;
      ++complete;
    }
    EXPECT_EQ(journal.records.size(), complete) << length;
    EXPECT_FALSE(journal.damage) << length;
  }
}

TEST(Journal, DamageAtAnyByteHidesOneRecordAndIsReportedWithItsPlace) {
  const auto records = all_kinds();
  const auto frames = frames_of(records);
  const std::string good = joined(frames);
  std::vector<std::size_t> starts{0};
  std::size_t end = journal_head().size();
  for (const std::string& frame : frames) {
    starts.push_back(end);
    end += frame.size();
  }
  for (std::size_t at = 0; at < good.size(); ++at) {
    for (const char flip : {'\x01', '\x80'}) {
      std::string bytes = good;
      bytes[at] ^= flip;
      const Journal journal = read_journal(bytes, no_encryption());
      if (at < journal_head().size()) {
        EXPECT_TRUE(journal.damage || !journal.unsupported.empty()) << at;
        EXPECT_TRUE(journal.records.empty()) << at;
        continue;
      }
      const auto behind = std::upper_bound(starts.begin(), starts.end(), at);
      ASSERT_TRUE(journal.damage) << at;
      EXPECT_EQ(journal.damage->offset, *(behind - 1)) << at;
      const auto number = static_cast<std::size_t>(behind - starts.begin()) - 2;
      // An empty record is in the place of a beginning.
      const std::size_t left = number == 0 ? records.size() : records.size() - 1;
      ASSERT_EQ(journal.records.size(), left) << at;
      for (std::size_t i = 1; i < left; ++i) {
        const std::size_t old = number == 0 || i < number ? i : i + 1;
        EXPECT_EQ(encode_record(journal.records[i]), encode_record(records[old])) << at;
      }
    }
  }
}

TEST(Journal, AMissingRecordIsNoticedAndTheOthersAreRead) {
  const auto records = all_kinds();
  for (std::size_t gone = 1; gone + 1 < records.size(); ++gone) {
    auto frames = frames_of(records);
    frames.erase(frames.begin() + static_cast<std::ptrdiff_t>(gone));
    const Journal journal = read_journal(joined(frames), no_encryption());
    ASSERT_TRUE(journal.damage) << gone;
    EXPECT_EQ(journal.records.size(), records.size() - 1) << gone;
  }
}

TEST(Journal, RepeatedAndSwappedRecordsAreNoticedAndReadInTheirOrder) {
  const auto records = all_kinds();
  const auto expect_all = [&](const std::vector<std::string>& frames) {
    const Journal journal = read_journal(joined(frames), no_encryption());
    EXPECT_TRUE(journal.damage);
    ASSERT_EQ(journal.records.size(), records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
      EXPECT_EQ(encode_record(journal.records[i]), encode_record(records[i]));
    }
  };
  for (std::size_t at = 0; at + 1 < records.size(); ++at) {
    auto swapped = frames_of(records);
    std::swap(swapped[at], swapped[at + 1]);
    expect_all(swapped);
    auto repeated = frames_of(records);
    repeated.push_back(repeated[at]);
    expect_all(repeated);
  }
}

TEST(Journal, RecordsOfOneFrameAreReadTogetherOrNotAtAll) {
  const std::vector<JournalRecord> together = {
      done("x.a", object("old"), "00000001"), done("x.a", Object()), intent("x.a", Action::Create)};
  auto frames = frames_of({kBegin});
  frames.push_back(*frame_records(together, no_encryption()));
  JournalChain chain;
  for (std::string& frame : frames) chain.link(frame);
  const std::string bytes = joined(frames);
  EXPECT_EQ(read_journal(bytes, no_encryption()).records.size(), 4u);
  for (std::size_t cut = 1; cut < frames.back().size(); ++cut) {
    const Journal journal =
        read_journal(std::string_view(bytes).substr(0, bytes.size() - cut), no_encryption());
    EXPECT_EQ(journal.records.size(), 1u) << cut;
  }
}

// As the version before wrote it.
std::string bytes_of_version_1(const std::vector<std::string>& payloads) {
  std::string bytes = "tofu journal 1\n";
  const auto add = [](std::string& to, std::uint32_t number) {
    for (int shift = 0; shift < 32; shift += 8) to += static_cast<char>(number >> shift & 0xFF);
  };
  const auto sum = [](const std::string& text) {
    return static_cast<std::uint32_t>(
        ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
  };
  for (const std::string& payload : payloads) {
    std::string head;
    add(head, static_cast<std::uint32_t>(payload.size()));
    add(head, sum(payload));
    add(head, sum(head));
    bytes += head + payload;
  }
  return bytes;
}

TEST(Journal, TheFormatOfTheVersionBeforeIsRead) {
  std::vector<std::string> payloads;
  for (const JournalRecord& record : all_kinds()) payloads.push_back(encode_record(record));
  const Journal journal = read_journal(bytes_of_version_1(payloads), no_encryption());
  EXPECT_FALSE(journal.damage);
  ASSERT_EQ(journal.records.size(), payloads.size());
  EXPECT_EQ(encode_record(journal.records.back()), payloads.back());
}

std::string bytes_of_hex(std::string_view digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

TEST(Journal, StoredFilesOfEachVersionAreRead) {
  for (const std::string_view stored : {journals::kStoredVersion1, journals::kStoredVersion2}) {
    const Journal journal = read_journal(bytes_of_hex(stored), no_encryption());
    EXPECT_FALSE(journal.damage);
    EXPECT_FALSE(journal.torn);
    ASSERT_EQ(journal.records.size(), 8u);
    State before;
    before.lineage = "l";
    before.serial = 4;
    before.set_object(address("x_thing.a"), "", object("0"), kProvider);
    const Recovery recovery = recover(&before, journal);
    EXPECT_EQ(recovery.verdict, Verdict::Apply);
    const Object* made = recovery.state.object(address("x_thing.a"));
    const Object* deposed = recovery.state.object(address("x_thing.a"), "00000001");
    ASSERT_TRUE(made != nullptr && deposed != nullptr);
    EXPECT_EQ(made->attributes(), "{\"id\":\"1\"}");
    EXPECT_EQ(deposed->attributes(), "{\"id\":\"0\"}");
    EXPECT_TRUE(recovery.state.outputs.at("o").sensitive);
    ASSERT_EQ(recovery.in_flight.size(), 1u);
    EXPECT_EQ(recovery.in_flight[0].address, address("x_thing.b"));
  }
}

TEST(Journal, WhatIsWrittenNowIsInTheFormatOfStoredFiles) {
  const std::string stored = bytes_of_hex(journals::kStoredVersion2);
  const std::vector<JournalRecord> all = read_journal(stored, no_encryption()).records;
  ASSERT_EQ(all.size(), 8u);
  const std::span<const JournalRecord> records(all);
  JournalChain chain;
  std::string bytes(journal_head());
  const auto add = [&](std::size_t from, std::size_t count) {
    std::string frame = *frame_records(records.subspan(from, count), no_encryption());
    chain.link(frame);
    bytes += frame;
  };
  add(0, 1);
  add(1, 3);
  for (std::size_t i = 4; i < 8; ++i) add(i, 1);
  EXPECT_EQ(bytes, stored);
}

TEST(Journal, WhatANewerVersionWroteIsNotTakenForDamaged) {
  const Journal other_format = read_journal("tofu journal 3\nabcdef", no_encryption());
  EXPECT_NE(other_format.unsupported, "");
  EXPECT_FALSE(other_format.damage);
  const Journal other_record = read_journal(
      bytes_of_version_1({encode_record(kBegin), R"({"record":"omen","address":"x.a"})",
                          encode_record(done("x.a", object("a")))}),
      no_encryption());
  EXPECT_NE(other_record.unsupported.find("\"omen\""), std::string::npos);
  EXPECT_FALSE(other_record.damage);
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

TEST(Journal, EachRecordIsEncrypted) {
  const FakeEncryption encryption('a');
  const std::string bytes = bytes_of(all_kinds(), encryption);
  EXPECT_EQ(bytes.find("lineage"), std::string::npos);
  const Journal journal = read_journal(bytes, encryption);
  EXPECT_EQ(journal.records.size(), all_kinds().size());
  EXPECT_EQ(journal.undecrypted, "");
}

TEST(Journal, WhatCannotBeDecryptedIsNotTakenForDamaged) {
  const std::string bytes = bytes_of(all_kinds(), FakeEncryption('a'));
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

TEST_F(JournalFile, IsReadableByItsOwnerOnly) {
  const auto mask = ::umask(0);
  const auto writer = JournalWriter::create(path_, kBegin, no_encryption());
  ::umask(mask);
  ASSERT_TRUE(writer);
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600u);
}

TEST_F(JournalFile, IsInUseUntilTheProcessThatWritesItEnds) {
  EXPECT_FALSE(is_journal_in_use(base::system_disk(), path_));
  const pid_t writing = ::fork();
  if (writing == 0) {
    const auto writer = JournalWriter::create(path_, kBegin, no_encryption());
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(writing, &status, WUNTRACED), writing);
  EXPECT_TRUE(is_journal_in_use(base::system_disk(), path_));
  ::kill(writing, SIGKILL);
  ASSERT_EQ(::waitpid(writing, &status, 0), writing);
  EXPECT_EQ(*base::file_kind(path_), base::FileKind::Regular);
  EXPECT_FALSE(is_journal_in_use(base::system_disk(), path_));
}

TEST_F(JournalFile, EndingOneThatIsGoneLeavesItsSuccessor) {
  auto first = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(first);
  std::remove(path_.c_str());
  auto second = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(second);
  EXPECT_TRUE((*first)->end(5));
  EXPECT_EQ(*base::file_kind(path_), base::FileKind::Regular);
}

TEST_F(JournalFile, IsNotMadeOverOneThatIsLeft) {
  ASSERT_TRUE(JournalWriter::create(path_, kBegin, no_encryption()));
  EXPECT_FALSE(JournalWriter::create(path_, kBegin, no_encryption()));
}

TEST_F(JournalFile, GetsItsDirectoryWhereThatIsMissing) {
  const std::string deeper = path_ + ".d/a/b/journal";
  ASSERT_TRUE(JournalWriter::create(deeper, kBegin, no_encryption()));
  EXPECT_EQ(*base::file_kind(deeper), base::FileKind::Regular);
  std::filesystem::remove_all(path_ + ".d");
}

TEST_F(JournalFile, OneThatCannotBeWrittenAnyMoreIsRemovedWhenTheStateIsStored) {
  auto writer = JournalWriter::create(path_, kBegin, no_encryption());
  ASSERT_TRUE(writer);
  {
    const FullDisk full;
    EXPECT_FALSE((*writer)->write(done("x.a", object("a"))));
    EXPECT_FALSE((*writer)->check());
  }
  EXPECT_FALSE((*writer)->write(done("x.b", object("b"))));
  EXPECT_TRUE((*writer)->end(5));
  EXPECT_EQ(*base::file_kind(path_), base::FileKind::Missing);
}

TEST(JournalWriter, AFullDiskIsToldToEverybodyWhoWaits) {
  // Every write to it fails for want of space.
  if (!base::read_file("/proc/self/mounts")) GTEST_SKIP() << "/proc is not mounted";
  EXPECT_FALSE(JournalWriter::create("/dev/full", kBegin, no_encryption()));
}

}  // namespace
}  // namespace tofu::state
