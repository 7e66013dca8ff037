// One thread that waits for everything that plugins say.
//
// Sockets, pipes and timers of all plugins are looked after here, so that a thousand
// calls under way cost no thread each. Work is handed over with post(); everything else
// may be called only by such work, on the thread itself. It never throws: a promise that
// breaks there is kept for check().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/descriptor.h"
#include "base/task.h"
#include "base/thread.h"

namespace tofu::providers {

class IoLoop {
 public:
  using Work = std::function<void()>;
  using Clock = std::chrono::steady_clock;
  // Orders timers by time; unique.
  using TimerId = std::pair<Clock::time_point, std::uint64_t>;

  IoLoop();
  IoLoop(const IoLoop&) = delete;
  IoLoop& operator=(const IoLoop&) = delete;
  ~IoLoop();  // work posted before is still done

  // Any thread.
  void post(Work work);
  // Does the work on the thread and waits for it. Not for the thread itself.
  void run(const Work& work);
  // Throws what work on the thread has thrown.
  void check() { task_.check(); }

  // `events` are those of epoll; `ready` is called with those that came.
  using Ready = std::function<void(std::uint32_t events)>;
  void watch(int descriptor, std::uint32_t events, Ready ready);
  void change(int descriptor, std::uint32_t events);
  void forget(int descriptor);  // before it is closed

  TimerId after(std::chrono::milliseconds delay, Work work);
  void cancel(TimerId timer);

 private:
  void work();
  void do_posted();
  void do_timers();
  int until_next_timer() const;  // milliseconds; -1: there is none
  void do_ready();

  base::Descriptor epoll_;
  base::Descriptor wake_;
  struct Watched {
    std::uint64_t number;  // a descriptor's number may be used again while events are handled
    Ready ready;
  };
  std::unordered_map<int, Watched> watched_;
  std::map<TimerId, Work> timers_;
  std::uint64_t last_number_ = 0;

  std::mutex mutex_;  // for what follows
  std::vector<Work> posted_;
  bool ends_ = false;

  base::Task task_;
  base::Thread thread_;
};

}  // namespace tofu::providers
