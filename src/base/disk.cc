#include "base/disk.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>

#include "base/descriptor.h"
#include "base/descriptor_lock.h"
#include "base/file.h"

namespace tofu::base {

namespace {

constexpr const char* kAccessList = "system.posix_acl_access";

// Signatures and capabilities belong to the old content.
bool describes_content(std::string_view attribute) {
  return attribute == "security.ima" || attribute == "security.evm" ||
         attribute == "security.capability";
}

// Extended attributes that cannot be read or set are left out: the content matters more.
void copy_attributes(const std::string& from, int to, bool with_access_list) {
  std::string names(
      static_cast<std::size_t>(std::max<ssize_t>(::listxattr(from.c_str(), nullptr, 0), 0)), '\0');
  const ssize_t length = ::listxattr(from.c_str(), names.data(), names.size());
  names.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
  bool has_access_list = false;
  for (std::size_t at = 0; at < names.size();) {
    const std::string name = names.c_str() + at;  // each ends in a zero
    at += name.size() + 1;
    const bool is_access_list = name == kAccessList;
    if (describes_content(name) || (is_access_list && !with_access_list)) continue;
    const ssize_t size = ::getxattr(from.c_str(), name.c_str(), nullptr, 0);
    if (size < 0) continue;
    std::string value(static_cast<std::size_t>(size), '\0');
    if (::getxattr(from.c_str(), name.c_str(), value.data(), value.size()) != size) continue;
    const bool is_set = ::fsetxattr(to, name.c_str(), value.data(), value.size(), 0) == 0;
    has_access_list = has_access_list || (is_access_list && is_set);
  }
  // A new file may have one from its directory, which the old file did not have.
  if (!has_access_list) (void)::fremovexattr(to, kAccessList);
}

// Whether the file has that group now. An owner that cannot be set stays ours.
bool set_owner(int file, const struct stat& owner) {
  struct stat now {};
  if (::fstat(file, &now) == 0 && now.st_uid == owner.st_uid && now.st_gid == owner.st_gid) {
    return true;
  }
  return ::fchown(file, owner.st_uid, owner.st_gid) == 0 ||
         ::fchown(file, static_cast<uid_t>(-1), owner.st_gid) == 0;
}

DiskResult<void> checked(int result) {
  if (result == 0) return {};
  return ErrorNumber{errno};
}

FileInfo info_of(const struct stat& info) {
  return {.device = info.st_dev,
          .inode = info.st_ino,
          .links = info.st_nlink,
          .size = info.st_size,
          .seconds = info.st_mtim.tv_sec,
          .nanoseconds = info.st_mtim.tv_nsec,
          .mode = info.st_mode,
          .owner = info.st_uid};
}

class SystemFile final : public DiskFile {
 public:
  explicit SystemFile(Descriptor file) : file_(std::move(file)) {}

  Result<std::string> read(std::uint64_t limit) override {
    return read_descriptor(file_.number(), limit);
  }
  DiskResult<std::size_t> write_some(std::string_view content) override {
    const ssize_t written = ::write(file_.number(), content.data(), content.size());
    if (written < 0) return ErrorNumber{errno};
    return static_cast<std::size_t>(written);
  }
  DiskResult<void> sync() override { return checked(::fsync(file_.number())); }
  DiskResult<void> sync_content() override { return checked(::fdatasync(file_.number())); }
  DiskResult<void> clear() override {
    if (::ftruncate(file_.number(), 0) != 0) return ErrorNumber{errno};
    return checked(::lseek(file_.number(), 0, SEEK_SET) < 0 ? -1 : 0);
  }
  DiskResult<FileInfo> info() override {
    struct stat info {};
    if (::fstat(file_.number(), &info) != 0) return ErrorNumber{errno};
    return info_of(info);
  }
  Result<bool> try_lock() override { return try_lock_descriptor(file_.number()); }

  DiskResult<void> take_attributes_of(const std::string& path, Permissions permissions) override {
    struct stat before {};
    if (::stat(path.c_str(), &before) != 0) return ErrorNumber{errno};
    const bool has_group = set_owner(file_.number(), before);
    mode_t mode = before.st_mode & 07777;
    if (permissions == Permissions::Private) {
      mode = 0600;
    } else if (!has_group) {
      // Another group gets no more than all users.
      mode = (mode & ~static_cast<mode_t>(0070)) | ((mode & 0007) << 3 & mode & 0070);
    }
    copy_attributes(path, file_.number(), permissions == Permissions::Kept && has_group);
    // After the owner, which clears bits of the mode, and the access list, which sets some.
    return checked(::fchmod(file_.number(), mode));
  }
  void take_owner_of(const std::string& path) override {
    struct stat owner {};
    if (::stat(path.c_str(), &owner) == 0) set_owner(file_.number(), owner);
  }

 private:
  const Descriptor file_;
};

int flags_of(OpenMode how) {
  switch (how) {
    case OpenMode::Read: return O_RDONLY;
    case OpenMode::Existing: return O_RDWR;
    case OpenMode::Change: return O_RDWR | O_CREAT;
    case OpenMode::Create: return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::Journal: return O_WRONLY | O_CREAT | O_EXCL | O_APPEND;
  }
  return O_RDONLY;
}

class SystemDisk final : public Disk {
 public:
  DiskResult<std::unique_ptr<DiskFile>> open(const std::string& path, OpenMode how,
                                             std::uint32_t mode) override {
    Descriptor file = open_file(path, flags_of(how), mode);
    if (!file.is_open()) return ErrorNumber{errno};
    return std::unique_ptr<DiskFile>(std::make_unique<SystemFile>(std::move(file)));
  }
  DiskResult<FileInfo> info(const std::string& path) override {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return ErrorNumber{errno};
    return info_of(info);
  }
  DiskResult<void> check_writable(const std::string& path) override {
    return checked(::access(path.c_str(), W_OK));
  }
  std::string target_of(const std::string& path) override {
    struct stat info {};
    if (::lstat(path.c_str(), &info) != 0 || !S_ISLNK(info.st_mode)) return path;
    const std::unique_ptr<char, decltype(&std::free)> real(::realpath(path.c_str(), nullptr),
                                                           &std::free);
    return real ? std::string(real.get()) : path;
  }
  DiskResult<void> rename(const std::string& from, const std::string& to) override {
    return checked(::rename(from.c_str(), to.c_str()));
  }
  DiskResult<void> remove(const std::string& path) override {
    return checked(::unlink(path.c_str()));
  }
  DiskResult<void> make_directory(const std::string& path) override {
    return checked(::mkdir(path.c_str(), 0777));
  }
  DiskResult<void> sync_directory(const std::string& path) override {
    const Descriptor directory = open_file(path, O_RDONLY | O_DIRECTORY);
    // Some file systems cannot sync a directory and say EINVAL; the name is there.
    if (directory.is_open() && ::fsync(directory.number()) != 0 && errno != EINVAL) {
      return ErrorNumber{errno};
    }
    return {};
  }
  DiskResult<std::vector<std::string>> names_in(const std::string& directory) override {
    const std::unique_ptr<DIR, int (*)(DIR*)> opened(::opendir(directory.c_str()), &::closedir);
    if (!opened) return ErrorNumber{errno};
    std::vector<std::string> names;
    while (true) {
      errno = 0;
      const dirent* found = ::readdir(opened.get());
      if (found == nullptr) break;
      const std::string_view name = found->d_name;
      if (name != "." && name != "..") names.emplace_back(name);
    }
    if (errno != 0) return ErrorNumber{errno};
    return names;
  }
  std::int64_t process() const override { return ::getpid(); }
  bool is_running(std::int64_t process) const override {
    return ::kill(static_cast<pid_t>(process), 0) == 0 || errno != ESRCH;
  }
  std::int64_t now() const override { return ::time(nullptr); }
  std::uint32_t user() const override { return ::geteuid(); }
};

}  // namespace

Error system_error(ErrorNumber number) { return system_error(number.value); }

// Its functions call the system and nothing else, so it has no state.
Disk& system_disk() {
  static SystemDisk disk;
  return disk;
}

DiskResult<void> write_all(DiskFile& file, std::string_view content) {
  while (!content.empty()) {
    const auto written = file.write_some(content);
    if (written) {
      content.remove_prefix(*written);
    } else if (written.error().value != EINTR) {
      return written.error();
    }
  }
  return {};
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

DiskResult<void> sync_directory_of(Disk& disk, const std::string& path) {
  return disk.sync_directory(directory_of(path));
}

}  // namespace tofu::base
