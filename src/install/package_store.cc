#include "install/package_store.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "archive/tree_copy.h"
#include "base/ascii.h"
#include "base/file.h"
#include "base/hashes.h"

namespace tofu::install {

namespace {

constexpr std::string_view kTemporary = ".new-";
constexpr std::string_view kLockName = ".lock";
constexpr std::string_view kRecordName = "packages.json";

base::Error failure(std::string_view what, std::string_view path) {
  return base::Error{fmt::format("{} {} failed: {}", what, path, std::strerror(errno))};
}

// A real directory, never a planted link to another place.
base::Result<void> make_directory(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) return base::Error{fmt::format("making {} failed: {}", path, failed.message())};
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return failure("looking at", path);
  if (S_ISLNK(found.st_mode)) {
    return base::Error{fmt::format(
        "{} is a link; it must be a directory, so that nothing is written outside of it", path)};
  }
  return {};
}

bool is_there(const std::string& path) {
  struct stat found = {};
  return lstat(path.c_str(), &found) == 0;
}

}  // namespace

PackageStore::PackageStore(std::string data_directory)
    : packages_(data_directory + "/packages"), modules_(data_directory + "/modules") {}

PackageStore::~PackageStore() {
  if (lock_) (void)remove_temporary().ok();  // the next run tries again
}

std::string PackageStore::package_path(std::string_view name) const {
  return fmt::format("{}/{}", packages_, name);
}

std::string PackageStore::entry_path(std::string_view key) const {
  return fmt::format("{}/{}", modules_, key);
}

std::string PackageStore::temporary_path() {
  return fmt::format("{}/{}{}", packages_, kTemporary, next_.fetch_add(1));
}

base::Result<void> PackageStore::open(const std::stop_token& stop) {
  const std::lock_guard one_at_a_time(open_mutex_);
  if (opened_) return {};
  if (auto made = make_directory(packages_); !made) return made;
  if (auto made = make_directory(modules_); !made) return made;
  auto lock = base::FileLock::take(package_path(kLockName), stop);
  if (!lock) return lock.error();
  if (auto cleaned = remove_temporary(); !cleaned) return cleaned;
  lock_ = std::move(*lock);
  opened_ = true;
  return {};
}

base::Result<void> PackageStore::remove_temporary() const {
  const auto entries = base::list_directory(packages_);
  if (!entries) return entries.error();
  for (const base::DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(kTemporary)) continue;
    if (auto removed = archive::remove_tree(package_path(entry.name)); !removed)
      return removed.error();
  }
  return {};
}

base::Result<void> PackageStore::set_aside(const std::string& path) {
  if (!is_there(path)) return {};
  const std::string aside = temporary_path();
  if (rename(path.c_str(), aside.c_str()) != 0) return failure("moving", path);
  return archive::remove_tree(aside);
}

base::Result<void> PackageStore::place(const std::string& from, const std::string& into) {
  if (auto gone = set_aside(into); !gone) return gone;
  if (rename(from.c_str(), into.c_str()) != 0) return failure("moving a package to", into);
  return {};
}

// Hundreds of calls lead to one package. A second name for a link that is there costs
// a fraction of a second link, which needs an inode; a file system may also refuse it.
bool PackageStore::make_link(const std::string& target, const std::string& at) {
  const auto known = links_.find(target);
  if (known != links_.end() &&
      linkat(AT_FDCWD, known->second.c_str(), AT_FDCWD, at.c_str(), 0) == 0) {
    return true;
  }
  if (symlink(target.c_str(), at.c_str()) != 0) return false;
  links_.insert_or_assign(target, at);
  return true;
}

base::Result<void> PackageStore::place_link(const std::string& target, const std::string& into) {
  if (make_link(target, into)) return {};
  if (errno != EEXIST) return failure("making a link at", into);
  std::error_code failed;
  const auto now = std::filesystem::read_symlink(into, failed);
  if (!failed && now == target) return {};
  const std::string link = temporary_path();
  if (symlink(target.c_str(), link.c_str()) != 0) return failure("making a link at", into);
  // A link replaces a link in one step; a directory has to go first.
  struct stat found = {};
  if (lstat(into.c_str(), &found) == 0 && S_ISDIR(found.st_mode)) {
    if (auto gone = set_aside(into); !gone) return gone;
  }
  if (rename(link.c_str(), into.c_str()) != 0) return failure("making a link at", into);
  return {};
}

void PackageStore::remove_others(const std::set<std::string, std::less<>>& used) {
  const auto entries = base::list_directory(packages_);
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    if (entry.name == kLockName || entry.name == kRecordName || used.contains(entry.name)) continue;
    // The next run tries again to remove the rest.
    (void)archive::remove_tree(package_path(entry.name)).ok();
  }
}

std::string package_name(std::string_view label, std::string_view hash) {
  constexpr std::size_t kNameLength = 40;
  constexpr std::size_t kHashLength = 32;
  label = label.substr(0, label.find('?'));
  while (label.ends_with('/')) label.remove_suffix(1);
  for (const std::string_view ending : {".git", ".zip", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2"}) {
    if (label.ends_with(ending)) label.remove_suffix(ending.size());
  }
  std::string name(label.substr(label.find_last_of('/') + 1).substr(0, kNameLength));
  std::ranges::replace_if(
      name,
      [](char c) {
        const bool plain = base::is_ascii_alphanumeric(c) || c == '-' || c == '_';
        return !plain;
      },
      '_');
  if (name.empty()) name = "package";
  return fmt::format("{}-{}", name, base::sha256_hex(hash).substr(0, kHashLength));
}

}  // namespace tofu::install
