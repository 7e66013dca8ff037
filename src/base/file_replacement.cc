#include "base/file_replacement.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tofu::base {

namespace {

// Renaming over a link would replace the link, so its target is written.
std::string behind_links(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

}  // namespace

Result<FileReplacement> FileReplacement::begin(const std::string& path, std::uint32_t mode,
                                               Permissions permissions) {
  std::string target = behind_links(path);
  struct stat before {};
  const bool exists = ::stat(target.c_str(), &before) == 0;
  if (exists && !S_ISREG(before.st_mode)) {
    return S_ISDIR(before.st_mode) ? system_error(EISDIR) : Error{"not a regular file"};
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) return system_error(errno);

  const bool keep = exists && permissions == Permissions::Kept;
  // Unique by process and attempt; O_EXCL makes sure of it.
  for (int attempt = 0; attempt < 100; ++attempt) {
    std::string temporary =
        target + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    Descriptor file = open_file(temporary, O_RDWR | O_CREAT | O_EXCL, keep ? 0600 : mode);
    if (!file.is_open()) {
      if (errno == EEXIST) continue;
      return system_error(errno);
    }
    FileReplacement made(std::move(target), std::move(temporary), std::move(file));
    if (keep && ::fchmod(made.descriptor(), before.st_mode & 07777) != 0) {
      return system_error(errno);
    }
    return made;
  }
  return system_error(EEXIST);
}

FileReplacement::~FileReplacement() {
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

Result<void> FileReplacement::append(std::string_view content) {
  is_synced_ = false;
  if (write_all(file_.number(), content)) return {};
  return system_error(errno);
}

Result<void> FileReplacement::sync() {
  if (!is_synced_ && ::fsync(file_.number()) != 0) return system_error(errno);
  is_synced_ = true;
  return {};
}

Result<void> FileReplacement::commit(Sync sync) {
  if (sync == Sync::Yes) {
    if (auto synced = this->sync(); !synced) return synced;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) return system_error(errno);
  temporary_.clear();
  return sync == Sync::Yes ? sync_directory_of(target_) : Result<void>();
}

}  // namespace tofu::base
