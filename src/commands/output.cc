#include "commands/output.h"

#include <cerrno>
#include <unistd.h>

namespace tofu::commands {

namespace {
constexpr std::size_t kFlushAt = 64 * 1024;
}

void Output::write(std::string_view text) {
  if (memory_ != nullptr) {
    memory_->append(text);
    return;
  }
  if (pending_.size() + text.size() < kFlushAt) {
    pending_ += text;
    return;
  }
  flush();
  write_through(text);
}

void Output::flush() {
  write_through(pending_);
  pending_.clear();
}

void Output::write_through(std::string_view text) {
  while (!text.empty() && !failed_) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      failed_ = true;
    }
  }
}

}  // namespace tofu::commands
