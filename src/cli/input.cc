#include "cli/input.h"

#include <array>
#include <cerrno>
#include <unistd.h>
#include <utility>

#include "base/descriptor.h"
#include "base/file.h"
#include "base/stop_wait.h"

namespace tofu::cli {

base::Result<std::string> Input::read_all() {
  std::string text = std::exchange(text_, {});
  if (descriptor_ < 0) return text;
  auto rest = base::read_descriptor(descriptor_);
  if (!rest) return rest.error();
  return text + *rest;
}

base::Result<bool> Input::read_more(const std::stop_token& stop) {
  if (descriptor_ < 0 || !base::wait_readable(descriptor_, stop)) return false;
  std::array<char, 4096> buffer;
  const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
  if (count < 0 && errno == EINTR) return true;
  if (count < 0) return base::system_error(errno);
  text_.append(buffer.data(), static_cast<std::size_t>(count));
  return count > 0;
}

base::Result<std::optional<std::string>> Input::read_line(const std::stop_token& stop) {
  std::size_t end = text_.find('\n');
  while (end == std::string::npos) {
    const auto more = read_more(stop);
    if (!more) return more.error();
    if (stop.stop_requested()) return std::optional<std::string>();
    if (!*more) break;
    end = text_.find('\n');
  }
  if (end == std::string::npos && text_.empty()) return std::optional<std::string>();
  std::string line = text_.substr(0, end);
  text_.erase(0, end == std::string::npos ? end : end + 1);
  return std::optional(std::move(line));
}

}  // namespace tofu::cli
