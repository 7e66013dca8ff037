#include "backends/local_lock.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor_lock.h"
#include "base/file.h"
#include "base/stop_wait.h"

namespace tofu::backends {

namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// What a waiting OpenTofu finds in the file it has open, after we put another in its
// place. It has no way to notice that; with a state in it, it would go on and lose
// what it writes. This makes it stop with an error.
constexpr std::string_view kReplaced =
    "{\"replaced\":\"Another run stored a newer state while this one waited for the lock. Run "
    "the command again.\"}\n";

// Looking costs next to nothing, and whoever waits wants to go on.
constexpr milliseconds kLongestPause(250);

bool has_its_name(int descriptor, const std::string& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(descriptor, &open) == 0 && ::stat(path.c_str(), &named) == 0 &&
         open.st_dev == named.st_dev && open.st_ino == named.st_ino;
}

}  // namespace

std::string LocalLock::info_path() const {
  const std::size_t slash = path_.rfind('/');
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  std::string name = path_.substr(start);
  if (name.starts_with('.')) name.erase(0, 1);
  return path_.substr(0, start) + "." + name + ".lock.info";
}

LocalLock::Attempt LocalLock::try_once(base::Error& why) {
  while (true) {
    base::Descriptor file = base::open_file(path_, O_RDWR | O_CREAT | O_EXCL, 0600);
    const bool made = file.is_open();
    if (!made && errno == EEXIST) file = base::open_file(path_, O_RDWR | O_CREAT, 0600);
    if (!file.is_open()) {
      why = base::system_error(errno);
      return Attempt::Failed;
    }
    const auto locked = base::try_lock_descriptor(file.number());
    if (!locked) {
      why = locked.error();
      return Attempt::Failed;
    }
    if (!*locked) return Attempt::Held;
    // Somebody may have replaced or removed the file before we got the lock on it.
    if (!has_its_name(file.number(), path_)) continue;
    file_ = std::move(file);
    made_file_ = made;
    held_ = true;
    return Attempt::Got;
  }
}

bool LocalLock::acquire(LockInfo info, const LockWait& wait, diag::Diagnostics& diags) {
  const auto deadline = steady_clock::now() + wait.timeout;
  const auto failed = [&](std::string detail) {
    diags.error("Cannot acquire the state lock").detail(std::move(detail));
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
      const auto text = base::read_file(info_path());
      const auto holder = text ? parse_lock_info(*text) : std::nullopt;
      return failed(fmt::format(
          "Another process has locked the state file {}.{} The lock is released when that process "
          "ends. To wait for it, use -lock-timeout.",
          path_, holder ? fmt::format("\n\nThe lock:\n{}\n\n", describe(*holder)) : ""));
    }
    pause = std::min(pause * 2, kLongestPause);
  }
  info.path = path_;
  const auto written = base::write_file(info_path(), lock_info_json(info), 0600, base::Sync::No);
  if (written) return true;
  release();
  return failed(fmt::format("Writing {} failed: {}.", info_path(), written.error().what));
}

base::Result<void> LocalLock::extend_to(const base::FileReplacement& replacement) {
  if (!held_) return {};
  const auto locked = base::try_lock_descriptor(replacement.descriptor());
  if (!locked) return locked.error();
  if (!*locked) return base::Error{"somebody else has locked the new file"};
  return {};
}

void LocalLock::move_to(base::FileReplacement& replacement) {
  if (!held_) return;
  struct stat old {};
  if (::fstat(file_.number(), &old) == 0 && old.st_nlink == 0 &&
      ::ftruncate(file_.number(), 0) == 0) {
    (void)::lseek(file_.number(), 0, SEEK_SET);
    (void)base::write_all(file_.number(), kReplaced);
  }
  file_ = replacement.take_descriptor();
  made_file_ = false;
}

void LocalLock::release() {
  if (!held_) return;
  ::unlink(info_path().c_str());
  struct stat info {};
  // While we still have the lock, so that nobody can have begun to write it.
  if (made_file_ && ::fstat(file_.number(), &info) == 0 && info.st_size == 0 &&
      has_its_name(file_.number(), path_)) {
    ::unlink(path_.c_str());
  }
  file_.close();
  held_ = false;
}

}  // namespace tofu::backends
