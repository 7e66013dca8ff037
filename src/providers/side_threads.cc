#include "providers/side_threads.h"

#include <utility>

#include "syntax/ast.h"

namespace tofu::providers {

SideThreads::~SideThreads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  more_.notify_all();
  threads_.clear();  // joins them
}

void SideThreads::post(std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  waiting_.push_back(std::move(work));
  if (idle_ < waiting_.size() && threads_.size() < most_) {
    // Values are nested as deeply as configuration may be.
    threads_.emplace_back(syntax::kTaskStack, [this] { run(); });
  }
  more_.notify_one();
}

void SideThreads::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    more_.wait(lock, [this] { return ends_ || !waiting_.empty(); });
    --idle_;
    if (waiting_.empty()) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
    lock.lock();
  }
}

}  // namespace tofu::providers
