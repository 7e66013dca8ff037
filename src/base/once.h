// Work that is done once, by the first thread that needs it; the others wait for it.
//
// As std::call_once, but an exception can leave the work, which the next caller then does again.
// Through std::call_once it would pass the C library, which brings an unwinder of its own: beside
// the one that the program is linked with, that ends the program.
//
// Threads: any.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace tofu::base {

class Once {
 public:
  Once() = default;
  Once(const Once&) = delete;
  Once& operator=(const Once&) = delete;

  template <class Work>
  void call(Work&& work) {
    while (step_.load(std::memory_order_acquire) != kDone) {
      std::uint32_t step = kIdle;
      if (step_.compare_exchange_strong(step, kWorking, std::memory_order_acquire)) {
        Ending ending(step_);
        std::forward<Work>(work)();
        ending.next = kDone;
      } else if (step == kWorking) {
        step_.wait(kWorking, std::memory_order_acquire);
      }
    }
  }

 private:
  static constexpr std::uint32_t kIdle = 0;
  static constexpr std::uint32_t kWorking = 1;
  static constexpr std::uint32_t kDone = 2;

  struct Ending {
    explicit Ending(std::atomic<std::uint32_t>& changed) : step(changed) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    ~Ending() {
      step.store(next, std::memory_order_release);
      step.notify_all();
    }
    std::atomic<std::uint32_t>& step;
    std::uint32_t next = kIdle;
  };

  std::atomic<std::uint32_t> step_ = kIdle;
};

}  // namespace tofu::base
