// Work in another thread; an InternalError in it reaches the thread that waits for it.
//
// An exception that leaves a thread's function ends the program without a message. So threads run
// their work through a Task, and the thread that started them checks it afterwards: the exception
// is thrown again there and reported by main() like any other.
#pragma once

#include <exception>
#include <functional>
#include <mutex>

namespace tofu::base {

class Task {
 public:
  // Does the work, in any number of threads. Never throws.
  void run(const std::function<void()>& work) noexcept;
  // Throws the first exception again, if there was one. Only once.
  void check();

 private:
  std::mutex mutex_;
  std::exception_ptr broken_;
};

}  // namespace tofu::base
