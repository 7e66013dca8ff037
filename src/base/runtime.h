// Time and threads as an interface: what a run uses of both.
//
// system_runtime() has the clocks and threads of the system. Another runtime can have all of it on
// one thread, with a clock of its own: what the run would leave to another thread is then done
// when it waits.
//
// Threads: any.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>

#include "base/thread.h"

namespace tofu::base {

// Does its work after each notify(), at least once in every period, and a last time when it goes
// away. Several notifications may share one turn.
class Worker {
 public:
  virtual ~Worker() = default;
  virtual void notify() = 0;
};

class Runtime {
 public:
  virtual ~Runtime() = default;

  virtual std::chrono::steady_clock::time_point now() = 0;
  virtual std::chrono::system_clock::time_point date() = 0;
  // `work` is called on a thread of the worker, never twice at once. It does not throw.
  virtual std::unique_ptr<Worker> start_worker(std::function<void()> work,
                                               std::chrono::milliseconds period) = 0;
  // As Thread::start_or_run().
  virtual Thread start_or_run(std::size_t stack_bytes, std::function<void()> work) = 0;
  // Waits, as the condition does; may return for no reason.
  virtual void wait(std::condition_variable& condition, std::unique_lock<std::mutex>& lock) = 0;
};

Runtime& system_runtime();

}  // namespace tofu::base
