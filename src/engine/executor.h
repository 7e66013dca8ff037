// Threads that take up coroutines where they can go on. They have the stack that evaluating
// needs.
//
// run() works until everything that was started has ended, on as many threads as find work. The
// one that calls it is among them if it has that much stack, too.
// How many threads there are makes no difference to what comes out, nor does the order in
// which work is taken up: tests shuffle it.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <random>
#include <vector>

#include "base/thread.h"

namespace tofu::engine {

template <class T>
class Async;

class Executor {
 public:
  // `threads` of 0 means one per core; `shuffle` of 0 the order of arrival.
  Executor(unsigned threads, std::uint64_t shuffle);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;
  ~Executor();

  unsigned threads() const { return threads_; }

  // Makes tasks by their numbers.
  class Tasks {
   public:
    virtual Async<void> task(std::uint32_t number) = 0;

   protected:
    ~Tasks() = default;
  };

  // Takes up this coroutine on some thread, soon.
  void post(std::coroutine_handle<> ready);
  // A task that nobody waits for but run().
  void start(Async<void> task);
  // The same with one that is made when there is a thread for it: where thousands are ready at
  // once, only those have memory that have begun. `tasks` outlives run().
  void start(Tasks& tasks, std::uint32_t number);
  // Throws what a task threw first, after all have ended.
  void run();

 private:
  struct Driver;
  Driver drive(Async<void> task);
  Driver drive_later(Async<void> task);
  void ended(std::exception_ptr broken);
  void work();
  void call_somebody();

  // What a worker takes up at a time: small tasks cost more in taking than in doing.
  static constexpr std::size_t kMostAtOnce = 8;
  struct Ready {
    std::coroutine_handle<> coroutine = {};
    Tasks* tasks = nullptr;    // or one of these, which has not begun
    std::uint32_t number = 0;  // of it
  };
  struct Taken {
    std::array<Ready, kMostAtOnce> ready;
    std::size_t count = 0;
  };
  void add(Ready ready);
  Taken take();
  void work_off(std::unique_lock<std::mutex>& lock);

  const unsigned threads_;
  std::atomic<std::size_t> running_ = 0;  // tasks that have not ended
  std::mutex mutex_;                      // for everything below
  std::condition_variable changed_;       // for workers: there is something to do, or no more
  std::condition_variable for_caller_;    // for run(): the same, or all has ended
  std::deque<Ready> ready_;
  std::vector<base::Thread> workers_;  // kept from one run() to the next
  unsigned idle_ = 0;                  // workers that wait for something to do
  unsigned called_ = 0;                // those of them that were told of something
  bool is_running_ = false;            // nothing is taken up outside of run()
  bool caller_works_ = false;          // it is one of the threads
  bool caller_is_idle_ = false;        // it waits for something to do, and was not told
  bool is_over_ = false;
  std::exception_ptr broken_;
  bool shuffles_;
  std::mt19937_64 random_;
};

}  // namespace tofu::engine
