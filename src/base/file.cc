#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace tofu::base {

namespace {

Error system_error(int code) {
  std::string what = std::strerror(code);
  // "No such file" but not "RPC …": only a capital before a small letter goes.
  if (what.size() > 1 && what[0] >= 'A' && what[0] <= 'Z' && what[1] >= 'a') what[0] += 32;
  return {std::move(what)};
}

// Closes what it holds; a close that matters is asked for with close().
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  bool close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_;
};

int open_again(const std::string& path, int flags, mode_t mode = 0) {
  int number = -1;
  do {
    number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (number < 0 && errno == EINTR);
  return number;
}

// False with errno set.
bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Renaming over a link would replace the link, so its target is written.
std::string behind_links(const std::string& path) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  return real ? std::string(real.get()) : path;
}

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::Regular;
  return S_ISDIR(mode) ? FileKind::Directory : FileKind::Other;
}

// Writes and syncs the temporary file; the reason for failure, or 0.
int fill(Descriptor& file, std::string_view content, const struct stat* like, Sync sync) {
  if (like != nullptr && ::fchmod(file.number(), like->st_mode & 07777) != 0) return errno;
  if (!write_all(file.number(), content)) return errno;
  if (sync == Sync::Yes && ::fsync(file.number()) != 0) return errno;
  return file.close() ? 0 : errno;
}

}  // namespace

void open_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest free number is this one. Programs that we start inherit it.
    (void)!::open("/dev/null", standard == STDIN_FILENO ? O_RDONLY : O_WRONLY);
  }
}

Result<std::string> read_descriptor(int descriptor, std::uint64_t limit) {
  struct stat info {};
  if (::fstat(descriptor, &info) != 0) return system_error(errno);
  if (S_ISDIR(info.st_mode)) return system_error(EISDIR);
  const auto too_large = [&] {
    return Error{"larger than the limit of " + std::to_string(limit) + " bytes"};
  };
  if (S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) > limit) {
    return too_large();
  }
  std::string text;
  // One more than the size, so that the end is found without growing again.
  // Sizes of special files are not believed.
  std::size_t room = S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : 64 * 1024;
  std::size_t used = 0;
  while (true) {
    text.resize(std::max(room, used + 1));
    const ssize_t got = ::read(descriptor, text.data() + used, text.size() - used);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return system_error(errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
    if (used > limit) return too_large();
    if (used == text.size()) room = used * 2;
  }
  text.resize(used);
  return text;
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  const Descriptor file(open_again(path, O_RDONLY));
  if (!file.is_open()) return system_error(errno);
  return read_descriptor(file.number(), limit);
}

namespace {

struct Permissions {
  mode_t mode;
  bool kept;  // those of a file that is there already are
};

Result<void> replace_file(const std::string& path, std::string_view content,
                          Permissions permissions, Sync sync) {
  const std::string target = behind_links(path);
  struct stat before {};
  const bool exists = ::stat(target.c_str(), &before) == 0;
  if (exists && !S_ISREG(before.st_mode)) {
    return S_ISDIR(before.st_mode) ? system_error(EISDIR) : Error{"not a regular file"};
  }
  // What may not be written in place may not be replaced either.
  if (exists && ::access(target.c_str(), W_OK) != 0) return system_error(errno);

  // Unique by process and attempt; O_EXCL makes sure of it.
  std::string temporary;
  int number = -1;
  const struct stat* like = exists && permissions.kept ? &before : nullptr;
  for (int attempt = 0; attempt < 100 && number < 0; ++attempt) {
    temporary = target + ".tmp" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    number = open_again(temporary, O_WRONLY | O_CREAT | O_EXCL,
                        like != nullptr ? 0600 : permissions.mode);
    if (number < 0 && errno != EEXIST) return system_error(errno);
  }
  Descriptor file(number);
  if (!file.is_open()) return system_error(EEXIST);
  if (const int failed = fill(file, content, like, sync); failed != 0) {
    ::unlink(temporary.c_str());
    return system_error(failed);
  }
  if (::rename(temporary.c_str(), target.c_str()) != 0) {
    const int failed = errno;
    ::unlink(temporary.c_str());
    return system_error(failed);
  }
  if (sync == Sync::No) return {};
  const Descriptor directory(open_again(directory_of(target), O_RDONLY | O_DIRECTORY));
  // Some file systems cannot sync a directory and say EINVAL; the rename stands.
  if (directory.is_open() && ::fsync(directory.number()) != 0 && errno != EINVAL) {
    return system_error(errno);
  }
  return {};
}

}  // namespace

Result<void> write_file(const std::string& path, std::string_view content, std::uint32_t mode,
                        Sync sync) {
  return replace_file(path, content, {mode, true}, sync);
}

Result<void> write_private_file(const std::string& path, std::string_view content) {
  return replace_file(path, content, {0600, false}, Sync::Yes);
}

Result<void> sync_file_systems(std::span<const std::string> paths) {
  std::vector<dev_t> done;
  for (const std::string& path : paths) {
    const Descriptor opened(open_again(path, O_RDONLY));
    struct stat info {};
    if (!opened.is_open() && errno == ENOENT) continue;
    if (!opened.is_open() || ::fstat(opened.number(), &info) != 0) return system_error(errno);
    if (std::ranges::find(done, info.st_dev) != done.end()) continue;
    if (::syncfs(opened.number()) != 0) return system_error(errno);
    done.push_back(info.st_dev);
  }
  return {};
}

Result<FileKind> file_kind(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return kind_of(info.st_mode);
  if (errno == ENOENT || errno == ENOTDIR) return FileKind::Missing;
  return system_error(errno);
}

Result<std::string> real_path(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                         &std::free);
  if (!real) return system_error(errno);
  return std::string(real.get());
}

Result<std::vector<DirectoryEntry>> list_directory(const std::string& path) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir(path.c_str()), &::closedir);
  if (!directory) return system_error(errno);
  std::vector<DirectoryEntry> entries;
  while (true) {
    errno = 0;
    const dirent* found = ::readdir(directory.get());
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    DirectoryEntry entry{std::string(name), FileKind::Missing, found->d_type == DT_LNK};
    if (found->d_type == DT_REG) {
      entry.kind = FileKind::Regular;
    } else if (found->d_type == DT_DIR) {
      entry.kind = FileKind::Directory;
    } else {
      struct stat info {};
      const int parent = ::dirfd(directory.get());
      if (found->d_type == DT_UNKNOWN &&
          ::fstatat(parent, found->d_name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
        entry.is_link = S_ISLNK(info.st_mode);
      }
      if (::fstatat(parent, found->d_name, &info, 0) == 0) entry.kind = kind_of(info.st_mode);
    }
    entries.push_back(std::move(entry));
  }
  if (errno != 0) return system_error(errno);
  std::ranges::sort(entries, {}, &DirectoryEntry::name);
  return entries;
}

}  // namespace tofu::base
