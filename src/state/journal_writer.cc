#include "state/journal_writer.h"

#include <utility>

#include "base/descriptor.h"
#include "base/file.h"

namespace tofu::state {

namespace {

base::Result<void> in_words(const base::DiskResult<void>& done) {
  return done ? base::Result<void>() : base::system_error(done.error());
}

}  // namespace

bool is_journal_in_use(base::Disk& disk, const std::string& path) {
  const auto file = disk.open(path, base::OpenMode::Existing, 0);
  if (!file) return false;
  const auto locked = (*file)->try_lock();
  return locked && !*locked;
}

base::Result<std::unique_ptr<JournalWriter>> JournalWriter::create(const std::string& path,
                                                                   const JournalBegin& begin,
                                                                   const Encryption& encryption,
                                                                   base::Disk& disk) {
  if (auto made = base::make_directory_of(disk, path); !made) return made.error();
  auto file = disk.open(path, base::OpenMode::Journal, 0600);
  if (!file) return base::system_error(file.error());
  // For is_journal_in_use(). Where files cannot be locked, no run is seen to be in progress.
  (void)(*file)->try_lock().ok();
  auto writer = std::make_unique<JournalWriter>(Key(), path, std::move(*file), disk, encryption);
  writer->pending_ = journal_head();
  auto written = writer->write(begin);
  // Its name has to outlive a crash as well.
  if (written) written = in_words(base::sync_directory_of(disk, path));
  if (!written) {
    (void)disk.remove(path).ok();
    return written.error();
  }
  return writer;
}

JournalWriter::Ticket JournalWriter::append(std::span<const JournalRecord> records) {
  auto framed = frame_records(records, encryption_);
  std::unique_lock lock(mutex_);
  if (!framed) fail(framed.error());
  if (framed) chain_.link(*framed);
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
  // Records that arrive meanwhile are written as well: the thread that added it may not return.
  for (; !failed_; sync = Sync::No) {
    const std::string bytes = std::exchange(pending_, {});
    const std::uint64_t upto = appended_;
    lock.unlock();
    auto written = base::write_all(*file_, bytes);
    if (written && sync == Sync::Yes) written = file_->sync_content();
    lock.lock();
    if (!written) fail(base::system_error(written.error()));
    if (written && sync == Sync::Yes) durable_ = upto;
    if (pending_.empty()) break;
  }
  flushing_ = false;
  flushed_.notify_all();
}

base::Result<void> JournalWriter::check() {
  if (!has_failed_) return {};
  const std::lock_guard lock(mutex_);
  return *failed_;
}

// The lock is held.
void JournalWriter::fail(base::Error error) {
  if (!failed_) failed_ = std::move(error);
  has_failed_ = true;
}

base::Result<void> JournalWriter::end(std::uint64_t serial) {
  const auto ended = write(JournalEnd{serial});
  // If a crash brings the file back, its end says that there is nothing to recover.
  return ended ? unlink() : remove();
}

base::Result<void> JournalWriter::remove() {
  auto removed = unlink();
  if (removed) removed = in_words(base::sync_directory_of(disk_, path_));
  return removed;
}

base::Result<void> JournalWriter::unlink() {
  const std::lock_guard lock(mutex_);
  // Without locks another run may have used it up, and its own may have the name now.
  const auto info = file_->info();
  file_.reset();
  if (info && info->links == 0) return {};
  return in_words(disk_.remove(path_));
}

}  // namespace tofu::state
