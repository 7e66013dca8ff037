// The person wants it to end: SIGINT, SIGTERM and SIGHUP while a command works.
//
// The first signal asks everything that works or waits to stop, through one stop_token
// for the whole program: locks, downloads, other programs, prompts. The second ends the
// program at once, after last words if there are any. Where nothing listens, the first does so
// already.
#pragma once

#include <functional>
#include <mutex>
#include <signal.h>
#include <stop_token>
#include <thread>

#include "base/descriptor.h"

namespace tofu::cli {

// There is at most one that listens.
class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;
  ~Cancellation();

  // While one of these lives, signals are caught.
  class [[nodiscard]] Listening {
   public:
    explicit Listening(Cancellation& owner);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

   private:
    Cancellation& owner_;
  };
  Listening listen() { return Listening(*this); }

  // While one of these lives, this is said before the second signal ends the program. Called
  // on a thread of its own while everything else goes on; at most one lives.
  class [[nodiscard]] ForcedExitHook {
   public:
    ForcedExitHook(Cancellation& owner, std::function<void()> say);
    ~ForcedExitHook();
    ForcedExitHook(const ForcedExitHook&) = delete;
    ForcedExitHook& operator=(const ForcedExitHook&) = delete;

   private:
    Cancellation& owner_;
  };

  std::stop_token token() const { return source_.get_token(); }
  // What a signal does, for tests.
  void request_stop();

 private:
  void begin();
  void end();
  void start_thread();
  void end_program();

  std::stop_source source_;
  int listeners_ = 0;
  base::Descriptor signalled_;    // written to by the handler, read by the thread
  std::mutex forced_exit_mutex_;  // for forced_exit_hook_
  std::function<void()> forced_exit_hook_;
  std::thread thread_;
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace tofu::cli
