// Runs coroutines on a pool of threads. Each thread has the requested amount of stack.
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

#include "base/runtime.h"
#include "base/thread.h"

namespace tofu::tasks {

template <class T>
class Async;

// Large: what workers and the caller share is under one mutex, so it has one owner.
class Executor {
 public:
  struct Options {
    std::size_t stack_bytes;                          // of each thread
    unsigned threads = 0;                             // 0: one per core
    std::uint64_t shuffle = 0;                        // 0: work is taken up in the order of arrival
    base::Runtime& runtime = base::system_runtime();  // outlives it
  };
  explicit Executor(Options options);
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
  // A task that only run() waits for.
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
  void wake_worker();

  // The number of tasks that a thread takes at a time: taking a small task costs more than doing
  // it.
  static constexpr std::size_t kMaxBatch = 8;
  struct Ready {
    std::coroutine_handle<> coroutine = {};
    Tasks* tasks = nullptr;    // or one of these, which has not begun
    std::uint32_t number = 0;  // of it
  };
  struct Taken {
    std::array<Ready, kMaxBatch> ready;
    std::size_t count = 0;
  };
  void add(Ready ready);
  Taken take();
  void run_batch(std::unique_lock<std::mutex>& lock);

  base::Runtime& runtime_;
  const std::size_t stack_bytes_;
  const unsigned threads_;
  std::atomic<std::size_t> running_ = 0;  // tasks that have not ended
  std::mutex mutex_;                      // for everything below
  std::condition_variable changed_;       // for workers: there is something to do, or no more
  std::condition_variable for_caller_;    // for run(): the same, or all has ended
  std::deque<Ready> ready_;
  std::vector<base::Thread> workers_;  // kept from one run() to the next
  unsigned idle_ = 0;                  // workers that wait for something to do
  unsigned called_ = 0;                // the sleeping threads that were notified
  bool is_running_ = false;            // nothing is taken up outside of run()
  bool caller_works_ = false;          // it is one of the threads
  bool caller_is_idle_ = false;        // it is idle and was not notified
  bool is_over_ = false;
  std::exception_ptr broken_;
  bool shuffles_;
  std::mt19937_64 random_;
};

}  // namespace tofu::tasks
