#include "base/descriptor.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include "base/ascii.h"

namespace tofu::base {

bool Descriptor::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

Error system_error(int code) {
  std::string what = std::strerror(code);
  // "No such file" but not "RPC …": only a capital before a small letter goes.
  if (what.size() > 1 && is_ascii_upper(what[0]) && is_ascii_lower(what[1])) {
    what[0] = ascii_lower(what[0]);
  }
  return {std::move(what)};
}

Descriptor open_file(const std::string& path, int flags, unsigned mode) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return Descriptor(number);
}

bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<void> sync_directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string name = slash == std::string::npos ? "."
                           : slash == 0               ? "/"
                                                      : path.substr(0, slash);
  const Descriptor directory = open_file(name, O_RDONLY | O_DIRECTORY);
  // Some file systems cannot sync a directory and say EINVAL; the name is there.
  if (directory.is_open() && ::fsync(directory.number()) != 0 && errno != EINVAL) {
    return system_error(errno);
  }
  return {};
}

}  // namespace tofu::base
