#include "process/memory_file.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/descriptor.h"

namespace tofu::process {

namespace {

base::Error failure() {
  return {std::string("making a file in memory failed: ") + std::strerror(errno)};
}

}  // namespace

base::Result<MemoryFile> MemoryFile::make(std::string_view text) {
  MemoryFile made(::memfd_create("input", MFD_CLOEXEC));
  // Programs such as ssh refuse a key that others could read.
  if (made.file_ < 0 || ::fchmod(made.file_, 0600) != 0) return failure();
  if (!base::write_all(made.file_, text) || ::lseek(made.file_, 0, SEEK_SET) != 0) return failure();
  return made;
}

base::Result<MemoryFile> MemoryFile::make_program(std::string_view text) {
  constexpr unsigned kMayBeRun = 0x10;  // MFD_EXEC, which kernels before 6.3 do not know
  int file = ::memfd_create("program", MFD_CLOEXEC | kMayBeRun);
  if (file < 0 && errno == EINVAL) file = ::memfd_create("program", MFD_CLOEXEC);
  const MemoryFile written(file);
  if (file < 0 || ::fchmod(file, 0700) != 0 || !base::write_all(file, text)) return failure();
  // A file that is open for writing cannot be executed.
  MemoryFile made(::open(written.path().c_str(), O_RDONLY | O_CLOEXEC));
  if (made.file_ < 0) return failure();
  return made;
}

MemoryFile::~MemoryFile() {
  if (file_ >= 0) ::close(file_);
}

std::string MemoryFile::path() const {
  return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(file_);
}

}  // namespace tofu::process
