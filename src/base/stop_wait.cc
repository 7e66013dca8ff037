#include "base/stop_wait.h"

#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tofu::base {

StopDescriptor::StopDescriptor(const std::stop_token& stop)
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), notify_(stop, Notify{event_.number()}) {}

void StopDescriptor::Notify::operator()() const noexcept {
  const std::uint64_t once = 1;
  (void)!::write(event, &once, sizeof once);
}

bool wait_readable(int descriptor, const std::stop_token& stop) {
  const StopDescriptor stopped(stop);
  while (!stop.stop_requested()) {
    pollfd waiting[] = {{descriptor, POLLIN, 0}, {stopped.number(), POLLIN, 0}};
    const int ready = ::poll(waiting, 2, -1);
    // If poll() cannot wait for it, the read reports the error.
    if (ready < 0 && errno != EINTR) return true;
    if (ready > 0 && waiting[0].revents != 0 && !stop.stop_requested()) return true;
  }
  return false;
}

bool sleep_for(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

}  // namespace tofu::base
