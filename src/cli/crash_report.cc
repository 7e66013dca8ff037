#include "cli/crash_report.h"

#include <csignal>
#include <cstdlib>
#include <cxxabi.h>
#include <exception>
#include <memory>
#include <new>
#include <string_view>
#include <typeinfo>
#include <unistd.h>

#include "base/memory.h"

namespace tofu::cli {

namespace {

constexpr std::string_view kMessage =
    "\nThis is a bug in tofu, not in your configuration: the program crashed.\nFinished operations "
    "are in the state or in the journal beside it, and the next\ncommand completes the state from "
    "the journal. Please report the command you ran and the\nsmallest configuration that "
    "reproduces the crash, without secrets.\n";

void write_all(std::string_view text) {
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  static_cast<void>(written);
}

// Where an exception can reach no caller. Memory that ran out is no bug.
[[noreturn]] void end_without_memory() {
  const std::type_info* thrown = abi::__cxa_current_exception_type();
  if (thrown == nullptr || *thrown != typeid(std::bad_alloc)) std::abort();
  write_all(kOutOfMemory);
  write_all("\n");
  ::_exit(1);
}

// Only what may be called in a handler. SA_RESETHAND made the signal deadly again.
void report(int signal) {
  write_all(kMessage);
  ::raise(signal);
}

}  // namespace

void report_crashes() {
  std::set_terminate(end_without_memory);
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

}  // namespace tofu::cli
