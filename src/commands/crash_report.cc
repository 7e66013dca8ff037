#include "commands/crash_report.h"

#include <csignal>
#include <memory>
#include <string_view>
#include <unistd.h>

#include "base/memory.h"

namespace tofu::commands {

namespace {

constexpr std::string_view kMessage =
    "\nThis is a bug in tofu, not in your configuration: it was stopped by a fault.\n"
    "Whatever had finished is in the state or in the journal beside it, and the next\n"
    "command completes the state from there. Please report what you did, without\n"
    "secrets, and the smallest configuration that shows it.\n";

// Only what may be called in a handler. SA_RESETHAND made the signal deadly again.
void report(int signal) {
  const ssize_t written = ::write(STDERR_FILENO, kMessage.data(), kMessage.size());
  static_cast<void>(written);
  ::raise(signal);
}

}  // namespace

void report_crashes() {
  if (base::kMemoryIsChecked) return;
  // On a stack of its own, which is never given back, since the usual one may be what
  // ran out.
  constexpr std::size_t kStackSize = 16384;
  stack_t own{};
  own.ss_sp = std::make_unique<char[]>(kStackSize).release();
  own.ss_size = kStackSize;
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = report;
  action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace tofu::commands
