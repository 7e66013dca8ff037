#include "base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

namespace tofu::base {

bool is_terminal(int descriptor) { return ::isatty(descriptor) == 1; }

std::optional<int> terminal_width(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace tofu::base
