#include "state/journal_writer.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include "state/journal.h"

namespace tofu::state {

base::Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const std::string& path,
                                                                   const JournalBegin& begin,
                                                                   const Encryption& encryption) {
  base::Descriptor file = base::open_file(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0600);
  if (!file.is_open()) return base::system_error(errno);
  auto writer = std::make_unique<JournalWriter>(Key(), path, std::move(file), encryption);
  writer->pending_ = journal_head();
  auto written = writer->write(begin);
  // Its name has to outlive a crash as well.
  if (written) written = base::sync_directory_of(path);
  if (!written) {
    ::unlink(path.c_str());
    return written.error();
  }
  return writer;
}

JournalWriter::Ticket JournalWriter::append(const JournalRecord& record) {
  auto framed = frame_record(record, encryption_);
  std::unique_lock lock(mutex_);
  if (!framed && !failed_) failed_ = framed.error();
  if (framed && pending_.empty()) {
    pending_ = std::move(*framed);
  } else if (framed) {
    pending_ += *framed;
  }
  const Ticket ticket{++appended_};
  if (!flushing_ && !failed_) flush(lock, Sync::No);
  return ticket;
}

base::Result<void> JournalWriter::wait(Ticket ticket) {
  std::unique_lock lock(mutex_);
  while (durable_ < ticket.number && !failed_) {
    if (flushing_) {
      flushed_.wait(lock);
    } else {
      flush(lock, Sync::Yes);
    }
  }
  if (durable_ >= ticket.number) return {};
  return *failed_;
}

void JournalWriter::flush(std::unique_lock<std::mutex>& lock, Sync sync) {
  flushing_ = true;
  // What comes meanwhile is written as well: whoever brought it may not come back.
  for (; !failed_; sync = Sync::No) {
    const std::string bytes = std::exchange(pending_, {});
    const std::uint64_t upto = appended_;
    lock.unlock();
    const bool good = base::write_all(file_.number(), bytes) &&
                      (sync == Sync::No || ::fdatasync(file_.number()) == 0);
    const int reason = errno;
    lock.lock();
    if (!good) failed_ = base::system_error(reason);
    if (good && sync == Sync::Yes) durable_ = upto;
    if (pending_.empty()) break;
  }
  flushing_ = false;
  flushed_.notify_all();
}

base::Result<void> JournalWriter::end(std::uint64_t serial) {
  auto ended = write(JournalEnd{serial});
  // If a crash brings the file back, its end says that there is nothing to recover.
  if (ended) ended = unlink();
  return ended;
}

base::Result<void> JournalWriter::remove() {
  auto removed = unlink();
  if (removed) removed = base::sync_directory_of(path_);
  return removed;
}

base::Result<void> JournalWriter::unlink() {
  const std::lock_guard lock(mutex_);
  file_.close();
  if (::unlink(path_.c_str()) != 0) return base::system_error(errno);
  return {};
}

}  // namespace tofu::state
