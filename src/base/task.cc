#include "base/task.h"

#include <utility>

namespace tofu::base {

void Task::run(const std::function<void()>& work) noexcept {
  try {
    work();
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!broken_) broken_ = std::current_exception();
  }
}

void Task::check() {
  std::exception_ptr broken;
  {
    const std::lock_guard lock(mutex_);
    broken = std::exchange(broken_, nullptr);
  }
  if (broken) std::rethrow_exception(broken);
}

}  // namespace tofu::base
