#include "base/runtime.h"

#include <thread>
#include <utility>

namespace tofu::base {

namespace {

class ThreadWorker final : public Worker {
 public:
  ThreadWorker(std::function<void()> work, std::chrono::milliseconds period)
      : work_(std::move(work)), period_(period), thread_([this] { run(); }) {}
  ~ThreadWorker() override {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }

  void notify() override {
    {
      const std::lock_guard lock(mutex_);
      if (std::exchange(is_notified_, true)) return;
    }
    changed_.notify_one();
  }

 private:
  void run() {
    for (bool is_last = false; !is_last;) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, period_, [&] { return ends_ || is_notified_; });
        is_notified_ = false;
        is_last = ends_;
      }
      work_();
    }
  }

  const std::function<void()> work_;
  const std::chrono::milliseconds period_;
  std::mutex mutex_;  // for the next three
  std::condition_variable changed_;
  bool is_notified_ = false;
  bool ends_ = false;
  std::thread thread_;  // last: it uses everything above
};

class SystemRuntime final : public Runtime {
 public:
  std::chrono::steady_clock::time_point now() override { return std::chrono::steady_clock::now(); }
  std::chrono::system_clock::time_point date() override { return std::chrono::system_clock::now(); }
  std::unique_ptr<Worker> start_worker(std::function<void()> work,
                                       std::chrono::milliseconds period) override {
    return std::make_unique<ThreadWorker>(std::move(work), period);
  }
  Thread start_or_run(std::size_t stack_bytes, std::function<void()> work) override {
    return Thread::start_or_run(stack_bytes, std::move(work));
  }
  void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock) override {
    condition.wait(lock);
  }
};

}  // namespace

// Its functions call the system and nothing else, so it has no state.
Runtime& system_runtime() {
  static SystemRuntime runtime;
  return runtime;
}

}  // namespace tofu::base
