#include "base/file_lock.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/descriptor_lock.h"
#include "base/stop_wait.h"

namespace tofu::base {

namespace {

Error failure(const char* doing, const std::string& path) {
  return {std::string(doing) + " " + path + " failed: " + std::strerror(errno)};
}

}  // namespace

FileLock::~FileLock() {
  if (file_ >= 0) ::close(file_);
}

// A lock that is waited for is woken by a signal only in the thread that gets it, which
// need not be this one. So it does not wait, and asks again.
Result<FileLock> FileLock::take(const std::string& path, const std::stop_token& stop,
                                const std::function<void()>& slow) {
  constexpr std::chrono::milliseconds kBetweenTries(20);
  constexpr int kTriesBeforeSlow = 250;  // five seconds, as in OpenTofu
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file < 0) return failure("opening", path);
  FileLock lock(file);
  for (int tries = 1;; ++tries) {
    const auto taken = try_lock_descriptor(file);
    if (!taken) return Error{"locking " + path + " failed: " + taken.error().what};
    if (*taken) return lock;
    if (tries == kTriesBeforeSlow && slow) slow();
    if (!sleep_for(kBetweenTries, stop)) {
      return Error{"interrupted while another process held the lock " + path};
    }
  }
}

}  // namespace tofu::base
