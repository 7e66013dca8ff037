#include "cli/output.h"

#include <cerrno>
#include <unistd.h>

namespace tofu::cli {

namespace {
constexpr std::size_t kFlushAt = 64 * 1024;
}

void Output::write(std::string_view text) {
  const std::lock_guard lock(mutex_);
  add(text);
}

void Output::line(std::string_view text) {
  const std::lock_guard lock(mutex_);
  add(text);
  add("\n");
}

void Output::flush() {
  const std::lock_guard lock(mutex_);
  write_pending();
}

bool Output::failed() const {
  const std::lock_guard lock(mutex_);
  return failed_;
}

void Output::add(std::string_view text) {
  if (memory_ != nullptr) {
    memory_->append(text);
    return;
  }
  if (pending_.size() + text.size() < kFlushAt) {
    pending_ += text;
    return;
  }
  write_pending();
  write_through(text);
}

void Output::write_pending() {
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

}  // namespace tofu::cli
