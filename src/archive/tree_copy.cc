#include "archive/tree_copy.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <memory>
#include <ranges>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "archive/tree_walk.h"

namespace tofu::archive {

namespace {

constexpr std::size_t kBufferSize = std::size_t{256} << 10;
constexpr mode_t kWritable = 0222;

// How much of the copying the file systems do themselves. Each way is tried until it
// is refused, and not again for the other files of the tree.
enum class Way : std::uint8_t { Clone, CopyRange, ReadAndWrite };

class Copier {
 public:
  Copier(const OpenFile& from, const OpenFile& to) : from_(from), to_(to) {}

  base::Result<void> copy_directory(const TreeDirectory& directory);

 private:
  // All of these: false with errno set.
  bool copy_file(int from, int to, const char* name);
  bool copy_link(int from, int to, const char* name);
  bool copy_content(int from, int to, off_t size);
  bool copy_range(int from, int to, off_t size);
  bool read_and_write(int from, int to);

  const OpenFile& from_;
  const OpenFile& to_;
  Way way_ = Way::Clone;
  std::unique_ptr<char[]> buffer_;
};

base::Result<void> Copier::copy_directory(const TreeDirectory& directory) {
  const std::string path = directory.path.empty() ? "." : directory.path;
  const OpenFile from = open_below(from_, path, O_RDONLY | O_DIRECTORY);
  const OpenFile to = open_below(to_, path, O_RDONLY | O_DIRECTORY);
  if (!from || !to) return tree_error("open", path);
  for (const TreeEntry& entry : directory.entries) {
    const char* name = entry.name.c_str();
    bool done = false;
    switch (entry.kind) {
      case EntryKind::Directory: done = ::mkdirat(to.number(), name, 0777) == 0; break;
      case EntryKind::File: done = copy_file(from.number(), to.number(), name); break;
      case EntryKind::Link: done = copy_link(from.number(), to.number(), name); break;
      case EntryKind::Other:
        return base::Error{fmt::format("{:?} is neither a file nor a directory nor a link",
                                       directory.path_of(entry))};
    }
    if (!done) return tree_error("copy", directory.path_of(entry));
  }
  return {};
}

bool Copier::copy_file(int from, int to, const char* name) {
  // Without NONBLOCK, a pipe that took the file's place would be waited for.
  const OpenFile source(::openat(from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat info {};
  if (!source || ::fstat(source.number(), &info) != 0) return false;
  if (!S_ISREG(info.st_mode)) {
    errno = EINVAL;
    return false;
  }
  const mode_t mode = (info.st_mode & 0555) | 0600;
  OpenFile target(::openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode));
  if (!target || !copy_content(source.number(), target.number(), info.st_size)) return false;
  return target.close();
}

bool Copier::copy_content(int from, int to, off_t size) {
  if (size == 0) return true;
  if (way_ == Way::Clone) {
    if (::ioctl(to, FICLONE, from) == 0) return true;
    way_ = Way::CopyRange;
  }
  if (way_ == Way::CopyRange && copy_range(from, to, size)) return true;
  return way_ == Way::ReadAndWrite && read_and_write(from, to);
}

bool Copier::copy_range(int from, int to, off_t size) {
  off_t copied = 0;
  while (copied < size) {
    const ssize_t step =
        ::copy_file_range(from, nullptr, to, nullptr, static_cast<std::size_t>(size - copied), 0);
    if (step < 0 && errno == EINTR) continue;
    if (step <= 0) {
      // Refused at the start: not for this pair of file systems. Shorter than it was:
      // reading to the end is as right as anything.
      if (copied == 0 || step == 0) way_ = Way::ReadAndWrite;
      return false;
    }
    copied += step;
  }
  return true;
}

bool Copier::read_and_write(int from, int to) {
  if (!buffer_) buffer_ = std::make_unique_for_overwrite<char[]>(kBufferSize);
  while (true) {
    const ssize_t got = ::read(from, buffer_.get(), kBufferSize);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got == 0;
    for (ssize_t done = 0; done < got;) {
      const ssize_t written =
          ::write(to, buffer_.get() + done, static_cast<std::size_t>(got - done));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return false;
      done += written;
    }
  }
}

bool Copier::copy_link(int from, int to, const char* name) {
  std::array<char, PATH_MAX + 1> target{};
  const ssize_t size = ::readlinkat(from, name, target.data(), target.size() - 1);
  return size >= 0 && ::symlinkat(target.data(), to, name) == 0;
}

base::Result<void> copy_into(const std::string& from, const std::string& to,
                             TreeContents contents) {
  const auto source = open_tree(from, FollowTop::Yes);
  if (!source) return source.error();
  const auto target = open_tree(to, FollowTop::No);
  if (!target) return target.error();
  const auto directories = list_tree(*source, contents);
  if (!directories) return directories.error();
  Copier copier(*source, *target);
  for (const TreeDirectory& directory : *directories) {
    if (auto copied = copier.copy_directory(directory); !copied) return copied;
  }
  return {};
}

// Calls `visit` with the descriptor of a directory and an entry of it, for every
// entry of the tree. It answers false, with errno set, if something failed.
template <class Visit>
base::Result<void> visit_entries(const std::string& directory, FollowTop follow, Visit visit) {
  const auto tree = open_tree(directory, follow);
  if (!tree) return tree.error();
  const auto directories = list_tree(*tree);
  if (!directories) return directories.error();
  for (const TreeDirectory& each : *directories) {
    const std::string path = each.path.empty() ? "." : each.path;
    const OpenFile opened = open_below(*tree, path, O_RDONLY | O_DIRECTORY);
    if (!opened) return tree_error("open", path);
    for (const TreeEntry& entry : each.entries) {
      if (!visit(opened.number(), entry)) return tree_error("work on", each.path_of(entry));
    }
  }
  return {};
}

// False with errno set.
bool protect(int directory, const char* name) {
  struct stat info {};
  if (::fstatat(directory, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (!S_ISREG(info.st_mode) || (info.st_mode & kWritable) == 0) return true;
  return ::fchmodat(directory, name, info.st_mode & 0777 & ~kWritable, AT_SYMLINK_NOFOLLOW) == 0;
}

// False with errno set. Directories may be protected too, as Go's module cache is.
bool remove_entry(int directory, const TreeEntry& entry) {
  const int flags = entry.kind == EntryKind::Directory ? AT_REMOVEDIR : 0;
  for (const bool again : {false, true}) {
    if (::unlinkat(directory, entry.name.c_str(), flags) == 0 || errno == ENOENT) return true;
    if (again || errno != EACCES || ::fchmod(directory, 0700) != 0) return false;
  }
  return false;
}

base::Result<void> remove_entries(const OpenFile& tree, const TreeDirectory& directory) {
  const std::string path = directory.path.empty() ? "." : directory.path;
  const OpenFile opened = open_below(tree, path, O_RDONLY | O_DIRECTORY);
  if (!opened) return tree_error("open", path);
  for (const TreeEntry& entry : directory.entries) {
    if (remove_entry(opened.number(), entry)) continue;
    return tree_error("remove", directory.path_of(entry));
  }
  return {};
}

}  // namespace

base::Result<void> copy_tree(const std::string& from, const std::string& to,
                             TreeContents contents) {
  if (::mkdir(to.c_str(), 0777) != 0) return tree_error("make", to);
  auto copied = copy_into(from, to, contents);
  // Why copying failed matters more than whether removing what there is of it does.
  if (!copied) (void)remove_tree(to).ok();
  return copied;
}

base::Result<void> make_read_only(const std::string& directory) {
  return visit_entries(directory, FollowTop::No, [](int parent, const TreeEntry& entry) {
    return entry.kind != EntryKind::File || protect(parent, entry.name.c_str());
  });
}

base::Result<void> remove_tree(const std::string& directory) {
  struct stat info {};
  if (::lstat(directory.c_str(), &info) != 0) {
    return errno == ENOENT ? base::Result<void>() : tree_error("look at", directory);
  }
  if (!S_ISDIR(info.st_mode)) {
    if (::unlink(directory.c_str()) == 0 || errno == ENOENT) return {};
    return tree_error("remove", directory);
  }
  const auto tree = open_tree(directory, FollowTop::No);
  if (!tree) return tree.error();
  const auto directories = list_tree(*tree);
  if (!directories) return directories.error();
  for (const TreeDirectory& each : std::views::reverse(*directories)) {
    if (auto removed = remove_entries(*tree, each); !removed) return removed;
  }
  if (::rmdir(directory.c_str()) == 0 || errno == ENOENT) return {};
  return tree_error("remove", directory);
}

base::Result<TreeSize> tree_size(const std::string& directory) {
  const auto tree = open_tree(directory, FollowTop::Yes);
  if (!tree) return tree.error();
  const auto directories = list_tree(*tree, TreeContents::All, Vanished::Ignored);
  if (!directories) return directories.error();
  TreeSize size;
  for (const TreeDirectory& each : *directories) {
    const std::string path = each.path.empty() ? "." : each.path;
    const OpenFile opened = open_below(*tree, path, O_RDONLY | O_DIRECTORY);
    if (!opened && errno == ENOENT) continue;
    if (!opened) return tree_error("open", path);
    for (const TreeEntry& entry : each.entries) {
      struct stat info {};
      if (entry.kind == EntryKind::Directory) continue;
      if (::fstatat(opened.number(), entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
        if (errno == ENOENT) continue;
        return tree_error("look at", each.path_of(entry));
      }
      ++size.files;
      if (S_ISREG(info.st_mode)) size.bytes += static_cast<std::uint64_t>(info.st_size);
    }
  }
  return size;
}

}  // namespace tofu::archive
