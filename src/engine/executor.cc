#include "engine/executor.h"

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "engine/async.h"
#include "syntax/ast.h"

namespace tofu::engine {

// A coroutine that owns a task, runs it on the executor and then goes away.
struct Executor::Driver {
  struct promise_type {
    Driver get_return_object() { return {}; }
    std::suspend_never initial_suspend() noexcept { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    void return_void() {}
    void unhandled_exception() noexcept { std::terminate(); }  // ended() is all that is left
  };
};

namespace {

unsigned default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

struct Hop {
  Executor& executor;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) const { executor.post(self); }
  void await_resume() const noexcept {}
};

}  // namespace

Executor::Executor(unsigned threads, std::uint64_t shuffle)
    : threads_(threads == 0 ? default_threads() : threads),
      shuffles_(shuffle != 0),
      random_(shuffle) {}

// Tells while it holds the lock: what was posted may be all that run() waits for, and then this
// is gone as soon as a worker has the lock.
void Executor::post(std::coroutine_handle<> ready) {
  const std::lock_guard lock(mutex_);
  ready_.push_back(ready);
  changed_.notify_one();
}

Executor::Driver Executor::drive(Async<void> task) {
  co_await Hop{*this};
  co_await task.ended();
  ended(task.broken());
}

void Executor::start(Async<void> task) {
  {
    const std::lock_guard lock(mutex_);
    ++running_;
  }
  drive(std::move(task));
}

void Executor::ended(std::exception_ptr broken) {
  const std::lock_guard lock(mutex_);
  if (broken && !broken_) broken_ = std::move(broken);
  if (--running_ == 0) changed_.notify_all();
}

std::coroutine_handle<> Executor::take() {
  if (shuffles_) {
    const std::size_t chosen = random_() % ready_.size();
    std::swap(ready_[chosen], ready_.front());
  }
  const std::coroutine_handle<> next = ready_.front();
  ready_.pop_front();
  return next;
}

void Executor::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !ready_.empty() || running_ == 0; });
    if (ready_.empty()) return;
    const std::coroutine_handle<> next = take();
    lock.unlock();
    next.resume();
    lock.lock();
  }
}

void Executor::run() {
  // Not on the caller's thread, which may have less stack than evaluating needs.
  std::vector<base::Thread> workers;
  for (unsigned i = 0; i < threads_; ++i) {
    workers.emplace_back(syntax::kTaskStack, [this] { work(); });
  }
  workers.clear();
  if (std::exception_ptr broken = std::exchange(broken_, {})) std::rethrow_exception(broken);
}

}  // namespace tofu::engine
