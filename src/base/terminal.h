// Properties of the terminal that the program writes to.
//
// Only `commands` reads them, once, and passes them down as plain values. Lower components never
// decide by themselves about color or line width.
#pragma once

#include <optional>
#include <signal.h>

namespace tofu::base {

bool is_terminal(int descriptor);

// Columns of the terminal behind `descriptor`; empty if it is none or will not say.
std::optional<int> terminal_width(int descriptor);

// While one of these lives, the terminal does not echo input. Does nothing where `descriptor` is no
// terminal. At most one lives at a time.
//
// SIGHUP and SIGQUIT restore the terminal before they end the process; the suspend key is
// switched off, because the shell would get the terminal without echo.
class HiddenTyping {
 public:
  explicit HiddenTyping(int descriptor);
  HiddenTyping(const HiddenTyping&) = delete;
  HiddenTyping& operator=(const HiddenTyping&) = delete;
  ~HiddenTyping();

  // Also drops unread input, which the shell would show.
  void end_unread();

 private:
  struct sigaction hangup_before_ {};
  struct sigaction quit_before_ {};
  bool is_hiding_ = false;
};

// Restores the terminal if a HiddenTyping lives, and drops unread input. For handlers of signals
// that end the process: async-signal-safe.
void show_typing() noexcept;

}  // namespace tofu::base
