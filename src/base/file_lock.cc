#include "base/file_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace tofu::base {

namespace {

Error failure(const char* doing, const std::string& path) {
  return {std::string(doing) + " " + path + " failed: " + std::strerror(errno)};
}

}  // namespace

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

// A flock() that waits is woken by a signal only in the thread that gets it, which need
// not be this one. So it does not wait, and asks again.
Result<FileLock> FileLock::take(const std::string& path, const std::atomic<bool>& cancelled) {
  constexpr std::chrono::milliseconds kBetweenTries(50);
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return failure("opening", path);
  FileLock lock(file);
  while (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return failure("locking", path);
    if (cancelled) return Error{"interrupted while another process held the lock " + path};
    std::this_thread::sleep_for(kBetweenTries);
  }
  return lock;
}

}  // namespace tofu::base
