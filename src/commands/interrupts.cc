#include "commands/interrupts.h"

namespace tofu::commands {

namespace {

// A signal handler can be given nothing, so what it sets is the process's.
std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void handle(int signal) {
  if (!interrupted.exchange(true)) return;
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

void catch_signal(int signal, struct sigaction& before) {
  struct sigaction ours {};
  ours.sa_handler = handle;
  ::sigaction(signal, &ours, &before);
}

}  // namespace

Interrupts::Interrupts() {
  interrupted = false;
  catch_signal(SIGINT, interrupt_before_);
  catch_signal(SIGTERM, terminate_before_);
}

Interrupts::~Interrupts() {
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
}

const std::atomic<bool>& Interrupts::flag() const { return interrupted; }

}  // namespace tofu::commands
