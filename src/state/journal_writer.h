// Writes the journal of a run, several records at a time.
//
// Whoever needs a record on disk appends it and waits for its ticket. The first who
// waits writes and syncs everything that was appended so far; those who come
// meanwhile share the next turn. So a hundred operations that end together cost one
// or two waits for the disk, not a hundred.
//
// After a failure nothing more is written and every wait answers with the same
// error: no new operation may start.
//
// Threads: append() and wait() from any.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "state/encryption.h"
#include "state/journal_record.h"

namespace tofu::state {

class JournalWriter {
 public:
  struct Ticket {
    std::uint64_t number = 0;
  };

  // Makes the file, readable by its owner only, and puts `begin` on disk. There may be
  // no file of that name: a journal that is left over is recovered first. `encryption`
  // outlives the writer.
  static base::Result<std::unique_ptr<JournalWriter>> create(const std::string& path,
                                                             const JournalBegin& begin,
                                                             const Encryption& encryption);

  // Only create() has the key.
  class Key {
    friend class JournalWriter;
    Key() = default;
  };
  JournalWriter(Key, std::string path, base::Descriptor file, const Encryption& encryption)
      : path_(std::move(path)), file_(std::move(file)), encryption_(encryption) {}

  // Not yet on disk, but it soon outlives this process. For what need not wait: the next
  // wait takes it along.
  Ticket append(const JournalRecord& record);
  // Until the record is on disk.
  base::Result<void> wait(Ticket ticket);
  base::Result<void> write(const JournalRecord& record) { return wait(append(record)); }

  // The state was stored for good: says so in the journal and removes it.
  base::Result<void> end(std::uint64_t serial);
  // Removes it whatever is in it; also a crash does not bring it back.
  base::Result<void> remove();

 private:
  enum class Sync : std::uint8_t { No, Yes };
  // Writes what is pending; `lock` is let go meanwhile.
  void flush(std::unique_lock<std::mutex>& lock, Sync sync);
  base::Result<void> unlink();

  const std::string path_;
  base::Descriptor file_;
  const Encryption& encryption_;

  std::mutex mutex_;  // for everything below
  std::condition_variable flushed_;
  std::string pending_;
  std::uint64_t appended_ = 0;
  std::uint64_t durable_ = 0;
  bool flushing_ = false;
  std::optional<base::Error> failed_;
};

}  // namespace tofu::state
