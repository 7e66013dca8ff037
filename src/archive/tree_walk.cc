#include "archive/tree_walk.h"

#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <memory>
#include <optional>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/ascii.h"
#include "base/descriptor.h"

namespace tofu::archive {

namespace {

constexpr int kAlways = O_CLOEXEC | O_NOFOLLOW;

struct CloseDirectory {
  void operator()(DIR* stream) const { ::closedir(stream); }
};

int open_at(int directory, const char* name, int flags) {
  int number = -1;
  do {
    number = ::openat(directory, name, flags | kAlways);
  } while (number < 0 && errno == EINTR);
  return number;
}

// One name after the other, for systems without openat2.
OpenFile open_by_steps(const OpenFile& tree, std::string_view path, int flags) {
  OpenFile at;
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string name(path.substr(0, slash));
    const int from = at ? at.number() : tree.number();
    const bool last = slash == std::string_view::npos;
    OpenFile next(open_at(from, name.c_str(), last ? flags : O_PATH | O_DIRECTORY));
    if (last || !next) return next;
    at = std::move(next);
    path.remove_prefix(slash + 1);
  }
}

EntryKind kind_of(mode_t mode) {
  if (S_ISREG(mode)) return EntryKind::File;
  if (S_ISDIR(mode)) return EntryKind::Directory;
  return S_ISLNK(mode) ? EntryKind::Link : EntryKind::Other;
}

std::optional<EntryKind> kind_of(int directory, const dirent& entry) {
  switch (entry.d_type) {
    case DT_REG: return EntryKind::File;
    case DT_DIR: return EntryKind::Directory;
    case DT_LNK: return EntryKind::Link;
    case DT_UNKNOWN: {
      struct stat info {};
      if (::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
      return kind_of(info.st_mode);
    }
    default: return EntryKind::Other;
  }
}

// False with errno set.
bool read_entries(OpenFile opened, std::vector<TreeEntry>& entries) {
  const int number = ::fcntl(opened.number(), F_DUPFD_CLOEXEC, 0);
  if (number < 0) return false;
  const std::unique_ptr<DIR, CloseDirectory> stream(::fdopendir(number));
  if (!stream) {
    ::close(number);
    return false;
  }
  ::rewinddir(stream.get());
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr) return errno == 0;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    const auto kind = kind_of(opened.number(), *entry);
    if (!kind) return false;
    entries.push_back({std::string(name), *kind});
  }
}

}  // namespace

OpenFile::~OpenFile() {
  if (number_ >= 0) ::close(number_);
}

bool OpenFile::close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0; }

base::Error tree_error(std::string_view doing, std::string_view path) {
  return {fmt::format("cannot {} {:?}: {}", doing, path, base::system_error(errno).what)};
}

base::Result<OpenFile> open_tree(const std::string& directory, FollowTop follow) {
  const int flags =
      O_RDONLY | O_DIRECTORY | O_CLOEXEC | (follow == FollowTop::Yes ? 0 : O_NOFOLLOW);
  int number = -1;
  do {
    number = ::open(directory.c_str(), flags);
  } while (number < 0 && errno == EINTR);
  if (number < 0) return tree_error("open", directory);
  return OpenFile(number);
}

OpenFile open_below(const OpenFile& tree, const std::string& path, int flags) {
  // A name without a slash cannot lead anywhere else.
  if (path.find('/') == std::string::npos) {
    return OpenFile(open_at(tree.number(), path.c_str(), flags));
  }
  open_how how{};
  how.flags = static_cast<std::uint64_t>(static_cast<unsigned>(flags | kAlways));
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  long number = -1;
  do {
    number = ::syscall(SYS_openat2, tree.number(), path.c_str(), &how, sizeof how);
  } while (number < 0 && (errno == EINTR || errno == EAGAIN));
  if (number >= 0) return OpenFile(static_cast<int>(number));
  // Old kernels do not know the call, and some sandboxes forbid what they do not know.
  if (errno == ENOSYS || errno == EPERM) return open_by_steps(tree, path, flags);
  return {};
}

namespace {

bool is_not_configuration(const TreeEntry& entry) {
  const std::string_view name = entry.name;
  if (entry.kind == EntryKind::Directory) {
    return name == ".terraform" || name == ".git" || name == ".hg" || name == ".svn";
  }
  return entry.kind == EntryKind::Other || name == ".git" || name.ends_with(".tfstate") ||
         name.find(".tfstate.") != std::string_view::npos;
}

}  // namespace

base::Result<std::vector<TreeDirectory>> list_tree(const OpenFile& tree, TreeContents contents,
                                                   Vanished vanished) {
  std::vector<TreeDirectory> directories(1);
  for (std::size_t next = 0; next < directories.size(); ++next) {
    const std::string path = directories[next].path;
    OpenFile opened = open_below(tree, path.empty() ? "." : path, O_RDONLY | O_DIRECTORY);
    std::vector<TreeEntry> entries;
    if (!opened || !read_entries(std::move(opened), entries)) {
      if (errno != ENOENT || vanished == Vanished::Refused) return tree_error("read", path);
      entries.clear();
    }
    if (contents == TreeContents::Configuration) std::erase_if(entries, is_not_configuration);
    directories[next].entries = std::move(entries);
    const std::size_t count = directories[next].entries.size();
    for (std::size_t i = 0; i < count; ++i) {
      const TreeEntry& entry = directories[next].entries[i];
      if (entry.kind != EntryKind::Directory) continue;
      TreeDirectory below;
      below.path = directories[next].path_of(entry);
      directories.push_back(std::move(below));
    }
  }
  return directories;
}

}  // namespace tofu::archive
