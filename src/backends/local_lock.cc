#include "backends/local_lock.h"

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/stop_wait.h"

namespace tofu::backends {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The content that a waiting OpenTofu sees in its open file after we have replaced it. It has no
// way to notice that; with a state in it, it would go on and lose what it writes. This makes it
// stop with an error.
constexpr std::string_view kReplaced =
    "{\"replaced\":\"Another run stored a newer state while this one waited for the lock. Run "
    "the command again.\"}\n";

// Polling is cheap, and the user is waiting.
constexpr milliseconds kMaxPause(250);

}  // namespace

base::DiskResult<bool> LocalLock::has_its_name(base::DiskFile& file) {
  const auto open = file.info();
  if (!open) return open.error();
  const auto named = disk_.info(path_);
  if (!named && named.error().value == ENOENT) return false;
  if (!named) return named.error();
  return open->device == named->device && open->inode == named->inode;
}

std::string LocalLock::info_path() const {
  const std::size_t slash = path_.rfind('/');
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  std::string name = path_.substr(start);
  if (name.starts_with('.')) name.erase(0, 1);
  return path_.substr(0, start) + "." + name + ".lock.info";
}

LocalLock::Attempt LocalLock::try_once(base::Error& why) {
  while (true) {
    auto file = disk_.open(path_, base::OpenMode::Create, 0600);
    const bool made = file.ok();
    if (!made && file.error().value == EEXIST) {
      file = disk_.open(path_, base::OpenMode::Change, 0600);
    }
    if (!file) {
      why = base::system_error(file.error());
      return Attempt::Failed;
    }
    const auto locked = (*file)->try_lock();
    if (!locked) {
      why = locked.error();
      return Attempt::Failed;
    }
    if (!*locked) return Attempt::Held;
    // Another process may have replaced or removed the file before we got the lock on it.
    const auto has_name = has_its_name(**file);
    if (!has_name) {
      why = base::system_error(has_name.error());
      return Attempt::Failed;
    }
    if (!*has_name) continue;
    file_ = std::move(*file);
    made_file_ = made;
    held_ = true;
    return Attempt::Got;
  }
}

diag::Checked<void> LocalLock::acquire(LockInfo info, const LockWait& wait,
                                       diag::Diagnostics& diags) {
  const auto deadline = steady_clock::now() + wait.timeout;
  const auto failed = [&](std::string detail) {
    diags.error("Error acquiring the state lock").detail(std::move(detail));
    return false;
  };
  milliseconds pause(20);
  while (true) {
    base::Error why;
    const Attempt attempt = try_once(why);
    if (attempt == Attempt::Got) break;
    if (attempt == Attempt::Failed) {
      return failed(fmt::format("Locking the state file {} failed: {}.", path_, why.what));
    }
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - steady_clock::now());
    if (left.count() > 0 && !base::sleep_for(std::min(pause, left), wait.stop)) {
      return failed(fmt::format("Interrupted while another process had locked {}.", path_));
    }
    if (left.count() <= 0) {
      const auto text = base::read_file(disk_, info_path());
      const auto holder = text ? parse_lock_info(*text) : std::nullopt;
      return failed(fmt::format(
          "Another process has locked the state file {}.{} The lock is released when that process "
          "ends. To wait for it, use -lock-timeout.",
          path_, holder ? fmt::format("\n\nThe lock:\n{}\n\n", describe(*holder)) : ""));
    }
    pause = std::min(pause * 2, kMaxPause);
  }
  info.path = path_;
  base::remove_abandoned_replacements(disk_, info_path(), {});
  const auto written =
      base::write_file(disk_, info_path(), lock_info_json(info), 0600, base::Sync::No);
  if (written) return true;
  release();
  return failed(fmt::format("Writing {} failed: {}.", info_path(), written.error().what));
}

base::Result<void> LocalLock::extend_to(const base::FileReplacement& replacement) {
  if (!held_) return {};
  const auto locked = replacement.file().try_lock();
  if (!locked) return locked.error();
  if (!*locked) return base::Error{"another process has locked the new file"};
  return {};
}

void LocalLock::move_to(base::FileReplacement& replacement, OldFile old_file) {
  if (!held_) return;
  const auto old = file_->info();
  if (old_file == OldFile::Keep) {
    kept_ = std::move(file_);
  } else if (old && old->links == 0 && file_->clear()) {
    (void)base::write_all(*file_, kReplaced).ok();
  }
  file_ = replacement.take_file();
  made_file_ = false;
}

void LocalLock::release() {
  if (!held_) return;
  (void)disk_.remove(info_path()).ok();
  const auto info = file_->info();
  // While we still have the lock, so that no other process can have begun to write it.
  const auto has_name = has_its_name(*file_);
  if (made_file_ && info && info->size == 0 && has_name && *has_name) {
    (void)disk_.remove(path_).ok();
  }
  file_.reset();
  kept_.reset();
  held_ = false;
}

}  // namespace tofu::backends
