// A few threads that run tasks in the order of arrival.
//
// For work that waits, such as downloads, and for copying many files. Tasks report through captured
// variables; they must not wait for tasks that were given later.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/task.h"

namespace tofu::install {

class Workers {
 public:
  // Threads are started when there is work for them, at most `limit`.
  explicit Workers(std::size_t limit) : limit_(limit) {}
  // Waits for the tasks that have begun; the others are dropped.
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void add(std::function<void()> task);
  // Returns when every task that was added is done. A promise that one of them broke is
  // broken here.
  void wait();

 private:
  void work();

  std::size_t limit_;
  std::mutex mutex_;
  std::condition_variable more_;
  std::condition_variable done_;
  std::deque<std::function<void()>> tasks_;
  std::size_t busy_ = 0;
  base::Task broken_;
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace tofu::install
