// The person wants it to end: SIGINT and SIGTERM while a command works.
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

namespace tofu::commands {

// There is at most one that listens.
class Interrupts {
 public:
  Interrupts() = default;
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;
  ~Interrupts();

  // While one of these lives, signals are caught.
  class [[nodiscard]] Listening {
   public:
    explicit Listening(Interrupts& owner);
    ~Listening();
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;

   private:
    Interrupts& owner_;
  };
  Listening listen() { return Listening(*this); }

  // While one of these lives, this is said before the second signal ends the program. Called
  // on a thread of its own while everything else goes on; at most one lives.
  class [[nodiscard]] LastWords {
   public:
    LastWords(Interrupts& owner, std::function<void()> say);
    ~LastWords();
    LastWords(const LastWords&) = delete;
    LastWords& operator=(const LastWords&) = delete;

   private:
    Interrupts& owner_;
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
  base::Descriptor signalled_;   // written to by the handler, read by the thread
  std::mutex last_words_mutex_;  // for last_words_
  std::function<void()> last_words_;
  std::thread thread_;
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace tofu::commands
