// The person wants it to end: SIGINT and SIGTERM while a command works.
//
// The first signal sets a flag, which whoever works looks at and ends tidily. The
// second ends the program at once, as without us.
#pragma once

#include <atomic>
#include <signal.h>

namespace tofu::commands {

// While one of these lives, signals are caught. There is at most one.
class Interrupts {
 public:
  Interrupts();
  ~Interrupts();
  Interrupts(const Interrupts&) = delete;
  Interrupts& operator=(const Interrupts&) = delete;

  const std::atomic<bool>& flag() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace tofu::commands
