#include "install/package_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/hashes.h"
#include "fetch/source_query.h"
#include "install/package_store.h"

namespace tofu::install {

namespace {

// A hit is recorded in the time of its index entry, at most this often.
constexpr std::chrono::hours kUseRecordedEvery(1);
constexpr std::string_view kUnfinished = ".new-";
constexpr std::string_view kLockEnding = ".lock";

base::Error failure(std::string_view what, std::string_view path) {
  return base::Error{fmt::format("{} {} failed: {}", what, path, std::strerror(errno))};
}

// Removes the remains of killed runs for a package, whose lock is held. It may also stay.
void remove_all_named(const std::string& directory, std::string_view prefix) {
  const auto entries = base::list_directory(directory);
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    if (!entry.name.starts_with(prefix)) continue;
    (void)archive::remove_tree(fmt::format("{}/{}", directory, entry.name)).ok();
  }
}

bool has_content(const std::string& path, std::string_view hash) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
  const auto now = archive::hash_tree(path);
  return now && *now == hash;
}

// The record of one package is written like that of a working directory.
std::string index_text(const std::string& name, const PackageRecord& record) {
  PackageRecords one;
  one.set_package(name, record);
  return one.text();
}

// The index is a file on disk, which may say anything.
bool is_package_name(std::string_view name) {
  return !name.empty() && !name.starts_with('.') && name.find('/') == std::string_view::npos;
}

std::optional<std::chrono::seconds> age_of(const std::string& path) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return std::nullopt;
  return std::chrono::seconds(std::max<std::int64_t>(0, time(nullptr) - found.st_mtime));
}

// Nothing happens where the cache cannot be written.
void record_use(const std::string& index) {
  const auto age = age_of(index);
  if (age && *age >= kUseRecordedEvery) (void)utimensat(AT_FDCWD, index.c_str(), nullptr, 0);
}

}  // namespace

std::string package_origin(std::string_view label) {
  return fetch::fetch_method(label) == "git" ? fetch::without_arguments(label, {"ref", "depth"})
                                             : std::string(label);
}

PackageKey key_of(const PackageRecord& record) {
  PackageKey key{package_origin(record.label)};
  if (!record.revision.empty()) {
    key.state = record.revision;
  } else if (!record.version.empty()) {
    key.version = record.version;
  } else {
    key.state = record.hash;
  }
  return key;
}

PackageCache::PackageCache(std::string directory, const std::stop_token& stop) : stop_(stop) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(directory, ignored);
  directory_ = ignored ? std::move(directory) : absolute.lexically_normal().string();
  while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
}

std::string PackageCache::index_of(const PackageKey& key) const {
  return fmt::format(
      "{}/index/{}.json", directory_,
      base::sha256_hex(fmt::format("{}\n{}\n{}", key.origin, key.version, key.state)));
}

std::optional<CachedPackage> PackageCache::read_index(const std::string& path) const {
  const auto known = PackageRecords::read(path);
  if (!known || known->packages.empty()) return std::nullopt;
  const auto& [name, record] = *known->packages.begin();
  std::string files = fmt::format("{}/{}", directory_, name);
  if (!is_package_name(name) || !has_content(files, record.hash)) return std::nullopt;
  return CachedPackage{record, std::move(files)};
}

std::optional<CachedPackage> PackageCache::find(const PackageKey& key) const {
  const std::string index = index_of(key);
  auto found = read_index(index);
  if (!found || package_origin(found->record.label) != key.origin) return std::nullopt;
  const bool is_meant = key.version.empty() ? key_of(found->record).state == key.state
                                            : found->record.version == key.version;
  if (!is_meant) return std::nullopt;
  record_use(index);
  return found;
}

base::Result<void> PackageCache::make_directory() const {
  std::error_code failed;
  std::filesystem::create_directories(directory_ + "/index", failed);
  if (failed) return base::Error{fmt::format("making {} failed: {}", directory_, failed.message())};
  return {};
}

base::Result<void> PackageCache::write_index(const std::string& path, const PackageRecord& record) {
  return base::write_file(path, index_text(package_name(record.label, record.hash), record), 0644,
                          base::Sync::No);
}

base::Result<std::string> PackageCache::add(const PackageRecord& record, const std::string& files) {
  if (auto made = make_directory(); !made) return made.error();
  const std::string name = package_name(record.label, record.hash);
  const std::string path = fmt::format("{}/{}", directory_, name);
  const auto lock = base::FileLock::take(path + std::string(kLockEnding), stop_);
  if (!lock) return lock.error();
  if (!has_content(path, record.hash)) {
    const std::string unfinished = fmt::format("{}{}-", kUnfinished, name);
    remove_all_named(directory_, unfinished);
    const std::string fresh =
        fmt::format("{}/{}{}-{}", directory_, unfinished, getpid(), next_.fetch_add(1));
    if (auto copied = archive::copy_tree(files, fresh); !copied) return copied.error();
    if (auto kept = archive::make_read_only(fresh); !kept) return kept.error();
    // Other runs may still read a damaged one; they have opened what they read.
    if (auto gone = archive::remove_tree(path); !gone) return gone.error();
    if (rename(fresh.c_str(), path.c_str()) != 0) return failure("moving a package to", path);
  }
  if (auto written = write_index(index_of(key_of(record)), record); !written) {
    return written.error();
  }
  return path;
}

base::Result<void> PackageCache::add_source(const PackageRecord& record) {
  const std::string index = index_of(key_of(record));
  if (read_index(index)) return {};
  const std::string path =
      fmt::format("{}/{}", directory_, package_name(record.label, record.hash));
  const auto kind = base::file_kind(path);
  if (!kind || *kind != base::FileKind::Directory) return {};
  const auto lock = base::FileLock::take(path + std::string(kLockEnding), stop_);
  if (!lock) return lock.error();
  return write_index(index, record);
}

namespace {

// Not a state that a source can have.
PackageKey latest_key(std::string_view label) { return {std::string(label), "", "latest"}; }
PackageKey list_key(std::string_view label) { return {package_origin(label), "", "versions"}; }

}  // namespace

base::Result<void> PackageCache::publish(const PackageRecord& record) {
  if (auto made = make_directory(); !made) return made;
  const auto lock = base::FileLock::take(directory_ + "/index.lock", stop_);
  if (!lock) return lock.error();
  if (auto written = write_index(index_of(latest_key(record.label)), record); !written) {
    return written;
  }
  if (record.version.empty()) return {};
  // A mirror knows a tag by its version alone.
  const PackageKey by_version{package_origin(record.label), record.version};
  if (auto written = write_index(index_of(by_version), record); !written) return written;
  const std::string list = index_of(list_key(record.label));
  auto known = PackageRecords::read(list);
  PackageRecords all = known ? std::move(*known) : PackageRecords();
  all.set_package(package_name(record.label, record.hash), record);
  return base::write_file(list, all.text(), 0644, base::Sync::No);
}

std::optional<CachedPackage> PackageCache::latest(std::string_view label) const {
  auto found = read_index(index_of(latest_key(label)));
  return found && found->record.label == label ? std::move(found) : std::nullopt;
}

std::vector<std::string> PackageCache::versions(std::string_view label) const {
  std::vector<std::string> versions;
  const auto known = PackageRecords::read(index_of(list_key(label)));
  if (!known) return versions;
  for (const auto& [name, record] : known->packages) {
    if (package_origin(record.label) == package_origin(label)) versions.push_back(record.version);
  }
  std::ranges::sort(versions);
  const auto same = std::ranges::unique(versions);
  versions.erase(same.begin(), same.end());
  return versions;
}

namespace {

// When each package was last used: the newest time of its index entries.
std::map<std::string, std::chrono::seconds> ages_by_package(const std::string& index) {
  std::map<std::string, std::chrono::seconds> ages;
  const auto entries = base::list_directory(index);
  if (!entries) return ages;
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string path = fmt::format("{}/{}", index, entry.name);
    const auto known = PackageRecords::read(path);
    const auto age = age_of(path);
    if (!known || !age) continue;
    for (const auto& [name, record] : known->packages) {
      const auto [at, is_new] = ages.emplace(name, *age);
      if (!is_new) at->second = std::min(at->second, *age);
    }
  }
  return ages;
}

// Left by every run that adds a package.
bool has_lock_file(const std::string& package) {
  const auto kind = base::file_kind(package + std::string(kLockEnding));
  return kind && *kind == base::FileKind::Regular;
}

}  // namespace

void PackageCache::remove_dead_entries() const {
  const std::string index = directory_ + "/index";
  const auto entries = base::list_directory(index);
  if (!entries) return;
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string path = fmt::format("{}/{}", index, entry.name);
    const auto known = PackageRecords::read(path);
    const bool is_dead = known && std::ranges::none_of(known->packages, [&](const auto& each) {
                           const auto kind = base::file_kind(directory_ + "/" + each.first);
                           return kind && *kind == base::FileKind::Directory;
                         });
    if (is_dead) unlink(path.c_str());
  }
}

base::Result<PackageCache::Pruned> PackageCache::prune(std::chrono::seconds unused_for,
                                                       bool only_list) {
  Pruned pruned;
  const auto entries = base::list_directory(directory_);
  if (!entries) return entries.error();
  const auto ages = ages_by_package(directory_ + "/index");
  for (const base::DirectoryEntry& entry : *entries) {
    const std::string path = fmt::format("{}/{}", directory_, entry.name);
    const bool is_unfinished = entry.name.starts_with(kUnfinished);
    const auto kind = base::file_kind(path);
    if (!kind || *kind != base::FileKind::Directory || entry.name == "index") continue;
    if (!is_unfinished && !is_package_name(entry.name)) continue;
    const auto known = ages.find(entry.name);
    // Other tools may keep directories here as well, such as a provider cache.
    if (!is_unfinished && known == ages.end() && !has_lock_file(path)) continue;
    // A run at work on a package may be about to write its index entry.
    const auto age = known != ages.end() ? std::optional(known->second) : age_of(path);
    constexpr std::chrono::hours kStillAtWork(1);
    const std::chrono::seconds limit = is_unfinished ? kStillAtWork : unused_for;
    if (!age || *age < limit) continue;
    const auto size = archive::tree_size(path);
    if (!only_list) {
      // A run that adds the package again waits until it is gone.
      std::optional<base::FileLock> held;
      if (!is_unfinished) {
        auto lock = base::FileLock::take(path + std::string(kLockEnding), stop_);
        if (!lock) return lock.error();
        held.emplace(std::move(*lock));
      }
      if (auto gone = archive::remove_tree(path); !gone) return gone.error();
    }
    if (!is_unfinished) pruned.packages.push_back(entry.name);
    if (size) pruned.bytes += size->bytes;
  }
  std::ranges::sort(pruned.packages);
  if (!only_list) remove_dead_entries();
  return pruned;
}

}  // namespace tofu::install
