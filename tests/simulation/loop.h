// The time and the threads of a simulated process: one queue of things to come.
//
// Where a run would wait for another thread, the next of them happens, and the clock goes on to it.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/runtime.h"
#include "tests/simulation/fates.h"
#include "tests/simulation/random.h"

namespace tofu::simulation {

class Loop final : public base::Runtime {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // All outlive it. `clock` is shared by all processes.
  Loop(Process& process, Fates& fates, Milliseconds& clock, std::uint64_t seed)
      : process_(process), fates_(fates), clock_(clock), random_(seed) {}

  // Calls `happens` after this much time.
  void after(Milliseconds delay, std::function<void()> happens);

  std::chrono::steady_clock::time_point now() override {
    return std::chrono::steady_clock::time_point(clock_);
  }
  std::chrono::system_clock::time_point date() override {
    return std::chrono::system_clock::time_point(clock_ + std::chrono::hours(500'000));
  }
  std::unique_ptr<base::Worker> start_worker(std::function<void()> work,
                                             Milliseconds period) override;
  base::Thread start_or_run(std::size_t, std::function<void()> work) override {
    work();
    return {};
  }
  void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock) override;

  // Some milliseconds.
  Milliseconds moment() { return Milliseconds(random_.below(8)); }

 private:
  class QueuedWorker;
  struct Event {
    Milliseconds time;
    std::uint64_t number;  // distinguishes those of one time
    std::function<void()> happens;
    bool is_timer;
  };
  void add(Milliseconds time, std::function<void()> happens, bool is_timer);
  void run_next();

  Process& process_;
  Fates& fates_;
  Milliseconds& clock_;
  Random random_;
  std::vector<Event> events_;  // a heap, the next one first
  std::uint64_t last_ = 0;
  std::size_t timers_ = 0;
};

}  // namespace tofu::simulation
