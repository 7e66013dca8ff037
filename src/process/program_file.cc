#include "process/program_file.h"

#include <cerrno>
#include <fcntl.h>
#include <utility>

#include "base/file.h"

namespace tofu::process {

namespace {

bool is_same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

base::Result<std::shared_ptr<const ProgramFile>> ProgramFile::open(const std::string& path) {
  base::Descriptor file = base::open_file(path, O_RDONLY);
  struct stat status {};
  if (!file.is_open() || ::fstat(file.number(), &status) != 0) return base::system_error(errno);
  if (!S_ISREG(status.st_mode)) return base::Error{"it is not a file"};
  return std::shared_ptr<const ProgramFile>(
      std::make_shared<const ProgramFile>(std::move(file), status));
}

bool ProgramFile::is_unchanged() const {
  struct stat now {};
  return ::fstat(file_.number(), &now) == 0 && now.st_size == status_.st_size &&
         is_same(now.st_mtim, status_.st_mtim) && is_same(now.st_ctim, status_.st_ctim);
}

}  // namespace tofu::process
