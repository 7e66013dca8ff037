// A thread with a stated amount of stack.
//
// std::thread takes what the system gives, which `ulimit -s` or another C library may make too
// little for work that recurses. The caller knows how deep the work recurses and states how much
// stack it needs. Memory is used only as far as the stack is used.
//
// The work does not throw (see base/task.h). The destructor joins the thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <pthread.h>
#include <sys/resource.h>
#include <utility>

namespace tofu::base {

class Thread {
 public:
  Thread() = default;
  Thread(std::size_t stack_bytes, std::function<void()> work);
  // If the system cannot start another thread, the calling thread does the work at once. For work
  // where a thread is only an optimization.
  static Thread start_or_run(std::size_t stack_bytes, std::function<void()> work);
  Thread(Thread&& other) noexcept : handle_(std::exchange(other.handle_, std::nullopt)) {}
  Thread& operator=(Thread&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Thread() { join(); }

  bool joinable() const { return handle_.has_value(); }
  void join();  // nothing if it was joined or never started

 private:
  // Takes the work if it could be started.
  bool start(std::size_t stack_bytes, std::function<void()>& work);

  std::optional<pthread_t> handle_;
};

// How many processors this process may use, one at least.
unsigned processors();

// How deep the stack of this thread may get.
std::size_t own_stack();

// Lets the stack of the first thread get so deep, unless the system forbids it. Programs that
// are launched have the limit from before.
void allow_stack(std::size_t bytes);
// The limit of the first thread before it was ever allowed more.
const rlimit& usual_stack_limit();

}  // namespace tofu::base
