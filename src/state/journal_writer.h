// Writes the journal of a run, several records at a time.
//
// To put a record on disk, append it and wait for its ticket. The first who waits writes and syncs
// everything that was appended so far; those who come meanwhile share the next turn. So a hundred
// operations that end together cost one or two waits for the disk, not a hundred.
//
// After a failure nothing more is written and every wait answers with the same
// error: no new operation may start. The journal can still be removed.
//
// Threads: append() and wait() from any.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "base/disk.h"
#include "base/result.h"
#include "state/encryption.h"
#include "state/journal.h"
#include "state/journal_record.h"

namespace tofu::state {

// Whether a run of this machine that is in progress writes that journal.
bool is_journal_in_use(base::Disk& disk, const std::string& path);

class JournalWriter {
 public:
  struct Ticket {
    std::uint64_t number = 0;
  };

  // Makes the file, readable by its owner only, and puts `begin` on disk; its directory
  // as well, if that is missing. There may be no file of that name: a journal that is
  // left over is recovered first. `disk` and `encryption` outlive the writer.
  static base::Result<std::unique_ptr<JournalWriter>> create(
      const std::string& path, const JournalBegin& begin, const Encryption& encryption,
      base::Disk& disk = base::system_disk());

  // Only create() has the key.
  class Key {
    friend class JournalWriter;
    Key() = default;
  };
  JournalWriter(Key, std::string path, std::unique_ptr<base::DiskFile> file, base::Disk& disk,
                const Encryption& encryption)
      : path_(std::move(path)), disk_(disk), file_(std::move(file)), encryption_(encryption) {}

  // Not yet on disk, but it soon outlives this process. For what need not wait: the next
  // wait takes it along.
  Ticket append(const JournalRecord& record) { return append(std::span(&record, 1)); }
  // Records that are true together: after a crash all are there, or none.
  Ticket append(std::span<const JournalRecord> records);
  // Until the record is on disk.
  base::Result<void> wait(Ticket ticket);
  base::Result<void> write(const JournalRecord& record) { return wait(append(record)); }

  // An error if something could not be written, also of records without a waiting step.
  base::Result<void> check();
  bool has_failed() const { return has_failed_; }

  // The state was stored for good: says so in the journal and removes it, also if nothing
  // can be written into it any more.
  base::Result<void> end(std::uint64_t serial);
  // Removes the file even if it has records; also a crash does not bring it back.
  base::Result<void> remove();

 private:
  enum class Sync : std::uint8_t { No, Yes };
  void fail(base::Error error);
  // Writes pending records; `lock` is let go meanwhile.
  void flush(std::unique_lock<std::mutex>& lock, Sync sync);
  base::Result<void> unlink();

  const std::string path_;
  base::Disk& disk_;
  std::unique_ptr<base::DiskFile> file_;
  const Encryption& encryption_;

  std::mutex mutex_;  // for everything below
  std::condition_variable flushed_;
  JournalChain chain_;
  std::string pending_;
  std::uint64_t appended_ = 0;
  std::uint64_t durable_ = 0;
  bool flushing_ = false;
  std::optional<base::Error> failed_;
  std::atomic<bool> has_failed_ = false;  // without the lock
};

}  // namespace tofu::state
