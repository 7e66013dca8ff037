#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "base/descriptor.h"

namespace tofu::base {

namespace {

FileKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return FileKind::Regular;
  return S_ISDIR(mode) ? FileKind::Directory : FileKind::Other;
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

Result<std::string> read_file(Disk& disk, const std::string& path, std::uint64_t limit) {
  const auto file = disk.open(path, OpenMode::Read, 0);
  if (!file) return system_error(file.error());
  return (*file)->read(limit);
}

Result<std::string> read_file(const std::string& path, std::uint64_t limit) {
  return read_file(system_disk(), path, limit);
}

namespace {

// Writing a file from memory never takes so long, not on another machine either.
constexpr std::chrono::hours kAbandonedAfter{1};

Result<void> replace_file(Disk& disk, const std::string& path, Result<FileReplacement> file,
                          std::string_view content, Sync sync) {
  if (!file) return std::move(file).error();
  if (sync == Sync::Yes) remove_abandoned_replacements(disk, path, kAbandonedAfter);
  if (auto written = file->append(content); !written) return written;
  return file->commit(sync);
}

}  // namespace

Result<void> write_file(Disk& disk, const std::string& path, std::string_view content,
                        std::uint32_t mode, Sync sync) {
  return replace_file(disk, path, FileReplacement::begin(disk, path, mode), content, sync);
}

Result<void> write_file(const std::string& path, std::string_view content, std::uint32_t mode,
                        Sync sync) {
  return write_file(system_disk(), path, content, mode, sync);
}

Result<void> write_private_file(Disk& disk, const std::string& path, std::string_view content,
                                Permissions permissions) {
  return replace_file(disk, path, FileReplacement::begin(disk, path, 0600, permissions), content,
                      Sync::Yes);
}

Result<void> write_private_file(const std::string& path, std::string_view content,
                                Permissions permissions) {
  return write_private_file(system_disk(), path, content, permissions);
}

Result<void> sync_file_systems(std::span<const std::string> paths) {
  std::vector<dev_t> done;
  for (const std::string& path : paths) {
    const Descriptor opened = open_file(path, O_RDONLY);
    struct stat info {};
    if (!opened.is_open() && errno == ENOENT) continue;
    if (!opened.is_open() || ::fstat(opened.number(), &info) != 0) return system_error(errno);
    if (std::ranges::find(done, info.st_dev) != done.end()) continue;
    if (::syncfs(opened.number()) != 0) return system_error(errno);
    done.push_back(info.st_dev);
  }
  return {};
}

Result<void> make_directory_of(Disk& disk, const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return {};
  const std::string directory = path.substr(0, slash);
  const auto kind = file_kind(disk, directory);
  if (!kind) return kind.error();
  if (*kind == FileKind::Directory) return {};
  if (*kind != FileKind::Missing) return system_error(ENOTDIR);
  if (auto made = make_directory_of(disk, directory); !made) return made;
  const auto made = disk.make_directory(directory);
  if (!made && made.error().value != EEXIST) return system_error(made.error());
  const auto synced = sync_directory_of(disk, directory);
  return synced ? Result<void>() : system_error(synced.error());
}

Result<void> make_directory_of(const std::string& path) {
  return make_directory_of(system_disk(), path);
}

Result<FileKind> file_kind(Disk& disk, const std::string& path) {
  const auto info = disk.info(path);
  if (info) return kind_of(info->mode);
  if (info.error().value == ENOENT || info.error().value == ENOTDIR) return FileKind::Missing;
  return system_error(info.error());
}

Result<FileKind> file_kind(const std::string& path) { return file_kind(system_disk(), path); }

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
