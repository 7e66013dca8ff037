#include "base/memory_file.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tofu::base {

namespace {

Error failure() { return {std::string("making a file in memory failed: ") + std::strerror(errno)}; }

}  // namespace

Result<MemoryFile> MemoryFile::make(std::string_view text) {
  MemoryFile made(::memfd_create("input", MFD_CLOEXEC));
  // Programs such as ssh refuse a key that others could read.
  if (made.file_ < 0 || ::fchmod(made.file_, 0600) != 0) return failure();
  while (!text.empty()) {
    const ssize_t written = ::write(made.file_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return failure();
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::lseek(made.file_, 0, SEEK_SET) != 0) return failure();
  return made;
}

MemoryFile::~MemoryFile() {
  if (file_ >= 0) ::close(file_);
}

std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_);
}

}  // namespace tofu::base
