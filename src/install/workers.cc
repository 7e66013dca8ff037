#include "install/workers.h"

#include <utility>

namespace tofu::install {

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    tasks_.clear();
  }
  more_.notify_all();
  threads_.clear();  // joins
}

void Workers::add(std::function<void()> task) {
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  if (busy_ + tasks_.size() > threads_.size() && threads_.size() < limit_) {
    threads_.emplace_back([this] { work(); });
  }
  more_.notify_one();
}

void Workers::wait() {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return tasks_.empty() && busy_ == 0; });
  lock.unlock();
  broken_.check();
}

void Workers::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    more_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
    if (tasks_.empty()) return;
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    ++busy_;
    lock.unlock();
    broken_.run(task);
    lock.lock();
    --busy_;
    if (tasks_.empty() && busy_ == 0) done_.notify_all();
  }
}

}  // namespace tofu::install
