// Objects that take long to destroy, such as a tree of modules. The program ends without destroying
// them.
//
// Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tofu::cli {

class KeepAlive {
 public:
  void add(std::shared_ptr<const void> object) {
    const std::lock_guard lock(mutex_);
    objects_.push_back(std::move(object));
  }

 private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<const void>> objects_;
};

}  // namespace tofu::cli
