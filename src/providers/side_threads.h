// A few threads for answers that have to be waited for, such as reading a state over the network.
//
// The engine's own threads are as many as there are processors; one that waits for a server keeps
// everything else from going on. Threads are started when there is work, and end with this, after
// the work that was handed over.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "base/thread.h"

namespace tofu::providers {

class SideThreads {
 public:
  // Of which at most `most` run at a time.
  explicit SideThreads(std::size_t most) : most_(most) {}
  SideThreads(const SideThreads&) = delete;
  SideThreads& operator=(const SideThreads&) = delete;
  ~SideThreads();

  // `work` does not throw (see base/task.h). Any thread.
  void post(std::function<void()> work);

 private:
  void run();

  const std::size_t most_;
  std::mutex mutex_;  // for what follows
  std::condition_variable more_;
  std::deque<std::function<void()>> waiting_;
  std::size_t idle_ = 0;
  bool ends_ = false;
  std::vector<base::Thread> threads_;
};

}  // namespace tofu::providers
