#include "base/terminal.h"

#include <atomic>
#include <cerrno>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace tofu::base {

namespace {

// Signal handlers have no arguments, so what they restore belongs to the process. Written
// before `hidden_terminal` names the terminal, and read after.
termios shown_mode;
std::atomic<int> hidden_terminal = -1;
static_assert(std::atomic<int>::is_always_lock_free);

void restore(bool drops_unread) noexcept {
  const int terminal = hidden_terminal.exchange(-1);
  if (terminal < 0) return;
  const int errno_before = errno;
  if (drops_unread) ::tcflush(terminal, TCIFLUSH);
  ::tcsetattr(terminal, TCSANOW, &shown_mode);
  errno = errno_before;
}

void restore_and_end(int signal) {
  show_typing();
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

}  // namespace

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::optional<int> terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

HiddenTyping::HiddenTyping(int descriptor) {
  if (descriptor < 0 || ::tcgetattr(descriptor, &shown_mode) != 0) return;
  is_hiding_ = true;
  hidden_terminal = descriptor;
  struct sigaction ours {};
  ours.sa_handler = restore_and_end;
  ::sigaction(SIGHUP, &ours, &hangup_before_);
  ::sigaction(SIGQUIT, &ours, &quit_before_);
  termios mode = shown_mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL);
  mode.c_cc[VSUSP] = _POSIX_VDISABLE;
  ::tcsetattr(descriptor, TCSANOW, &mode);
}

HiddenTyping::~HiddenTyping() {
  if (!is_hiding_) return;
  restore(false);
  ::sigaction(SIGHUP, &hangup_before_, nullptr);
  ::sigaction(SIGQUIT, &quit_before_, nullptr);
}

void HiddenTyping::end_unread() { restore(true); }

void show_typing() noexcept { restore(true); }

}  // namespace tofu::base
