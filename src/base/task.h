// Work in another thread, whose broken promises reach the thread that waits for it.
//
// An exception that leaves a thread's function ends the program without a word. So
// threads run their work through a Task, and whoever started them asks it afterwards;
// what was thrown is thrown again there and reported by main() like any other.
#pragma once

#include <exception>
#include <functional>
#include <mutex>

namespace tofu::base {

class Task {
 public:
  // Does the work, in any number of threads. Never throws.
  void run(const std::function<void()>& work) noexcept;
  // Throws what was thrown first, if anything was. Only once.
  void check();

 private:
  std::mutex mutex_;
  std::exception_ptr broken_;
};

}  // namespace tofu::base
