#include "tasks/executor.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "base/thread.h"
#include "tasks/async.h"

namespace tofu::tasks {

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

struct Hop {
  Executor& executor;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> self) const { executor.post(self); }
  void await_resume() const noexcept {}
};

}  // namespace

Executor::Executor(Options options)
    : runtime_(options.runtime),
      stack_bytes_(options.stack_bytes),
      threads_(options.threads == 0 ? base::processors() : options.threads),
      shuffles_(options.shuffle != 0),
      random_(options.shuffle) {}

Executor::~Executor() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
    changed_.notify_all();
  }
  workers_.clear();
}

// Wakes a worker for ready tasks: who waits, or one more if there may be one. The lock is held.
void Executor::wake_worker() {
  if (caller_is_idle_) {
    caller_is_idle_ = false;
    for_caller_.notify_one();
  } else if (idle_ > called_) {
    ++called_;
    changed_.notify_one();
  } else if (workers_.size() + (caller_works_ ? 1 : 0) < threads_) {
    workers_.emplace_back(stack_bytes_, [this] { work(); });
  }
}

// Calls while it holds the lock: what was posted may be all that run() waits for, and then this
// is gone as soon as a worker has the lock.
void Executor::add(Ready ready) {
  const std::lock_guard lock(mutex_);
  ready_.push_back(ready);
  if (is_running_) wake_worker();
}

void Executor::post(std::coroutine_handle<> ready) { add({.coroutine = ready}); }

Executor::Driver Executor::drive(Async<void> task) {
  co_await task.ended();
  ended(task.broken());
}

Executor::Driver Executor::drive_later(Async<void> task) {
  co_await Hop{*this};
  co_await task.ended();
  ended(task.broken());
}

void Executor::start(Async<void> task) {
  running_.fetch_add(1, std::memory_order_relaxed);
  drive_later(std::move(task));
}

void Executor::start(Tasks& tasks, std::uint32_t number) {
  running_.fetch_add(1, std::memory_order_relaxed);
  add({.tasks = &tasks, .number = number});
}

// On one of the threads, so this is there until it returns.
void Executor::ended(std::exception_ptr broken) {
  if (broken) {
    const std::lock_guard lock(mutex_);
    if (!broken_) broken_ = std::move(broken);
  }
  if (running_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const std::lock_guard lock(mutex_);
  for_caller_.notify_one();
}

// A part of what is ready, so that there is something left for the others.
Executor::Taken Executor::take() {
  Taken taken;
  const std::size_t share = ready_.size() / (std::size_t{2} * threads_);
  taken.count = std::clamp(share, std::size_t{1}, kMaxBatch);
  for (std::size_t i = 0; i < taken.count; ++i) {
    if (shuffles_) std::swap(ready_[random_() % ready_.size()], ready_.front());
    taken.ready[i] = ready_.front();
    ready_.pop_front();
  }
  return taken;
}

// Takes up some of what is ready, without the lock.
void Executor::run_batch(std::unique_lock<std::mutex>& lock) {
  const Taken taken = take();
  if (!ready_.empty()) wake_worker();
  lock.unlock();
  for (const Ready& ready : std::span(taken.ready).first(taken.count)) {
    if (ready.tasks == nullptr) {
      ready.coroutine.resume();
    } else {
      drive(ready.tasks->task(ready.number));
    }
  }
  lock.lock();
}

void Executor::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    while (!is_over_ && !(is_running_ && !ready_.empty())) {
      ++idle_;
      changed_.wait(lock);
      --idle_;
      if (called_ != 0) --called_;
    }
    if (is_over_) return;
    run_batch(lock);
  }
}

void Executor::run() {
  std::unique_lock lock(mutex_);
  is_running_ = true;
  caller_works_ = base::own_stack() >= stack_bytes_;
  if (!caller_works_ && !ready_.empty()) wake_worker();
  while (running_.load(std::memory_order_acquire) != 0) {
    if (caller_works_ && !ready_.empty()) {
      run_batch(lock);
      continue;
    }
    caller_is_idle_ = caller_works_;
    runtime_.wait(for_caller_, lock);
    caller_is_idle_ = false;
  }
  is_running_ = false;
  caller_works_ = false;
  if (std::exception_ptr broken = std::exchange(broken_, {})) std::rethrow_exception(broken);
}

}  // namespace tofu::tasks
