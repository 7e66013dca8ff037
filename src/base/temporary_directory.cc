#include "base/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace tofu::base {

Result<TemporaryDirectory> TemporaryDirectory::make(std::string_view parent,
                                                    std::string_view prefix) {
  std::string path(parent);
  path.append("/").append(prefix).append("-XXXXXX");
  if (::mkdtemp(path.data()) == nullptr) {
    return Error{"no directory can be made in " + std::string(parent) + ": " +
                 std::strerror(errno)};
  }
  return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::~TemporaryDirectory() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace tofu::base
