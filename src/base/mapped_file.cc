#include "base/mapped_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/descriptor.h"

namespace tofu::base {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  const Descriptor file = open_file(path, O_RDONLY);
  struct stat about {};
  if (!file.is_open() || ::fstat(file.number(), &about) != 0) return system_error(errno);
  if (!S_ISREG(about.st_mode)) return Error{"it is not a regular file"};
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size == 0) return std::shared_ptr<const MappedFile>(new MappedFile({}));
  void* bytes = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number(), 0);
  if (bytes == MAP_FAILED) return system_error(errno);
  return std::shared_ptr<const MappedFile>(new MappedFile({static_cast<const char*>(bytes), size}));
}

MappedFile::~MappedFile() {
  if (!content_.empty()) ::munmap(const_cast<char*>(content_.data()), content_.size());
}

}  // namespace tofu::base
