// Threads that take up coroutines where they can go on. They have the stack that evaluating
// needs, whoever calls.
//
// run() works until everything that was started has ended. How many threads there are
// makes no difference to what comes out, nor does the order in which work is taken up:
// tests shuffle it.
#pragma once

#include <condition_variable>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <random>

namespace tofu::engine {

template <class T>
class Async;

class Executor {
 public:
  // `threads` of 0 means one per core; `shuffle` of 0 the order of arrival.
  Executor(unsigned threads, std::uint64_t shuffle);
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  unsigned threads() const { return threads_; }

  // Takes up this coroutine on some thread, soon.
  void post(std::coroutine_handle<> ready);
  // A task that nobody waits for but run().
  void start(Async<void> task);
  // Throws what a task threw first, after all have ended.
  void run();

 private:
  struct Driver;
  Driver drive(Async<void> task);
  void ended(std::exception_ptr broken);
  void work();
  std::coroutine_handle<> take();

  const unsigned threads_;
  std::mutex mutex_;  // for everything below
  std::condition_variable changed_;
  std::deque<std::coroutine_handle<>> ready_;
  std::size_t running_ = 0;  // tasks that have not ended
  std::exception_ptr broken_;
  bool shuffles_;
  std::mt19937_64 random_;
};

}  // namespace tofu::engine
