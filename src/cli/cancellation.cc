#include "cli/cancellation.h"

#include <cerrno>
#include <cstdint>
#include <sys/eventfd.h>
#include <unistd.h>
#include <utility>

#include "base/check.h"
#include "base/terminal.h"

namespace tofu::cli {

namespace {

// A signal handler can be given nothing, so what it uses is the process's.
std::atomic<int> signalled_descriptor = -1;
std::atomic<bool> signalled = false;
std::atomic<bool> has_forced_exit_hook = false;
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);

constexpr std::uint64_t kSignal = 1;
constexpr std::uint64_t kEnd = std::uint64_t{1} << 32;  // more signals than ever arrive

// stop_source is not for signal handlers: its callbacks take locks. So the handler only
// wakes a thread.
void handle(int signal) {
  // With last words, the thread ends the program; a third signal does not wait for it.
  if (signalled.exchange(true) && !has_forced_exit_hook.exchange(false)) {
    base::show_typing();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
    return;
  }
  const int errno_before = errno;
  (void)!::write(signalled_descriptor, &kSignal, sizeof kSignal);
  errno = errno_before;
}

void catch_signal(int signal, struct sigaction& before) {
  struct sigaction ours {};
  ours.sa_handler = handle;
  ours.sa_flags = SA_RESTART;  // what waits hears of it by the token
  ::sigaction(signal, &ours, &before);
}

// Sent when the terminal goes away. A program that is to outlive it (nohup) ignores it already.
void catch_hangup() {
  struct sigaction before {};
  ::sigaction(SIGHUP, nullptr, &before);
  if (before.sa_handler == SIG_DFL) catch_signal(SIGHUP, before);
}

void release_hangup() {
  struct sigaction now {};
  ::sigaction(SIGHUP, nullptr, &now);
  if (now.sa_handler == handle) ::signal(SIGHUP, SIG_DFL);
}

}  // namespace

Cancellation::Listening::Listening(Cancellation& owner) : owner_(owner) { owner_.begin(); }
Cancellation::Listening::~Listening() { owner_.end(); }

Cancellation::~Cancellation() {
  if (!thread_.joinable()) return;
  (void)!::write(signalled_.number(), &kEnd, sizeof kEnd);
  thread_.join();
}

void Cancellation::request_stop() { source_.request_stop(); }

void Cancellation::start_thread() {
  signalled_ = base::Descriptor(::eventfd(0, EFD_CLOEXEC));
  TOFU_CHECK(signalled_.is_open(), "the system has descriptors left");
  thread_ = std::thread([this] {
    while (true) {
      std::uint64_t what = 0;
      if (::read(signalled_.number(), &what, sizeof what) != sizeof what) continue;
      const bool is_second = source_.stop_requested() || what % kEnd > 1;
      if (what % kEnd != 0) request_stop();
      if (what % kEnd != 0 && is_second) end_program();
      if (what >= kEnd) return;
    }
  });
}

void Cancellation::end_program() {
  {
    const std::lock_guard lock(forced_exit_mutex_);
    if (forced_exit_hook_) forced_exit_hook_();
  }
  base::show_typing();
  ::signal(SIGINT, SIG_DFL);
  ::raise(SIGINT);
}

Cancellation::ForcedExitHook::ForcedExitHook(Cancellation& owner, std::function<void()> say)
    : owner_(owner) {
  const std::lock_guard lock(owner_.forced_exit_mutex_);
  owner_.forced_exit_hook_ = std::move(say);
  has_forced_exit_hook = true;
}

Cancellation::ForcedExitHook::~ForcedExitHook() {
  has_forced_exit_hook = false;
  const std::lock_guard lock(owner_.forced_exit_mutex_);
  owner_.forced_exit_hook_ = nullptr;
}

void Cancellation::begin() {
  if (listeners_++ > 0) return;
  if (!thread_.joinable()) start_thread();
  signalled_descriptor = signalled_.number();
  signalled = source_.stop_requested();
  catch_signal(SIGINT, interrupt_before_);
  catch_signal(SIGTERM, terminate_before_);
  catch_hangup();
}

void Cancellation::end() {
  if (--listeners_ > 0) return;
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  release_hangup();
}

}  // namespace tofu::cli
