#include "providers/io_loop.h"

#include <array>
#include <cerrno>
#include <condition_variable>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"

namespace tofu::providers {

namespace {

// Answers are decoded on the thread, and values may be nested deeply.
constexpr std::size_t kStack = std::size_t{64} << 20;

}  // namespace

IoLoop::IoLoop()
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  TOFU_CHECK(epoll_.is_open() && wake_.is_open(), "the system has descriptors left");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = wake_.number();
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, wake_.number(), &event);
  thread_ = base::Thread(kStack, [this] { work(); });
}

IoLoop::~IoLoop() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  post([] {});
  thread_.join();
}

void IoLoop::post(Work work) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(work));
    if (posted_.size() > 1) return;  // it is awake, or about to be
  }
  const std::uint64_t one = 1;
  (void)!::write(wake_.number(), &one, sizeof one);
}

void IoLoop::run(const Work& work) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  post([&] {
    task_.run(work);
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_one();
  });
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return done; });
}

void IoLoop::watch(int descriptor, std::uint32_t events, Ready ready) {
  watched_.insert_or_assign(descriptor, Watched{++last_number_, std::move(ready)});
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_ADD, descriptor, &event);
}

void IoLoop::change(int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_MOD, descriptor, &event);
}

void IoLoop::forget(int descriptor) {
  ::epoll_ctl(epoll_.number(), EPOLL_CTL_DEL, descriptor, nullptr);
  watched_.erase(descriptor);
}

IoLoop::TimerId IoLoop::after(std::chrono::milliseconds delay, Work work) {
  const TimerId id{Clock::now() + delay, ++last_number_};
  timers_.emplace(id, std::move(work));
  return id;
}

void IoLoop::cancel(TimerId timer) { timers_.erase(timer); }

void IoLoop::do_posted() {
  std::vector<Work> posted;
  {
    const std::lock_guard lock(mutex_);
    posted.swap(posted_);
  }
  for (Work& each : posted) {
    task_.run(each);
    each = nullptr;  // what it holds goes before the next
  }
}

void IoLoop::do_timers() {
  const Clock::time_point now = Clock::now();
  while (!timers_.empty() && timers_.begin()->first.first <= now) {
    const Work work = std::move(timers_.begin()->second);
    timers_.erase(timers_.begin());
    task_.run(work);
  }
}

int IoLoop::until_next_timer() const {
  if (timers_.empty()) return -1;
  const auto left = timers_.begin()->first.first - Clock::now();
  const auto rounded = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::max<std::int64_t>(rounded, 0));
}

void IoLoop::do_ready() {
  std::array<epoll_event, 64> events;
  const int count = ::epoll_wait(epoll_.number(), events.data(), static_cast<int>(events.size()),
                                 until_next_timer());
  const std::uint64_t newest = last_number_;
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events[static_cast<std::size_t>(i)];
    if (event.data.fd == wake_.number()) {
      std::uint64_t ignored = 0;
      (void)!::read(wake_.number(), &ignored, sizeof ignored);
      continue;
    }
    const auto found = watched_.find(event.data.fd);
    // An earlier handler may have closed this descriptor, and another may have its number.
    if (found == watched_.end() || found->second.number > newest) continue;
    const Ready ready = found->second.ready;
    const std::uint32_t which = event.events;
    task_.run([&] { ready(which); });
  }
}

void IoLoop::work() {
  while (true) {
    do_ready();
    do_posted();
    do_timers();
    const std::lock_guard lock(mutex_);
    if (ends_ && posted_.empty()) return;
  }
}

}  // namespace tofu::providers
