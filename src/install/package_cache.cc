#include "install/package_cache.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "base/file_lock.h"
#include "base/hashes.h"
#include "install/package_store.h"

namespace tofu::install {

namespace {

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
  one.packages[name] = record;
  return one.text();
}

}  // namespace

PackageCache::PackageCache(std::string directory, const std::stop_token& stop) : stop_(stop) {
  std::error_code ignored;
  const auto absolute = std::filesystem::absolute(directory, ignored);
  directory_ = ignored ? std::move(directory) : absolute.lexically_normal().string();
  while (directory_.size() > 1 && directory_.ends_with('/')) directory_.pop_back();
}

std::string PackageCache::path_of(std::string_view label, std::string_view hash) const {
  return fmt::format("{}/{}", directory_, package_name(label, hash));
}

std::string PackageCache::index_of(std::string_view label, std::string_view version,
                                   std::string_view state) const {
  return fmt::format("{}/index/{}.json", directory_,
                     base::sha256_hex(fmt::format("{}\n{}\n{}", label, version, state)));
}

std::optional<CachedPackage> PackageCache::find(std::string_view label, std::string_view version,
                                                std::string_view state) const {
  const auto known = PackageRecords::read(index_of(label, version, state));
  if (!known || known->packages.empty()) return std::nullopt;
  const PackageRecord& record = known->packages.begin()->second;
  std::string path = path_of(label, record.hash);
  if (record.label != label || !has_content(path, record.hash)) return std::nullopt;
  return CachedPackage{record, std::move(path)};
}

base::Result<std::string> PackageCache::add(const PackageRecord& record, const std::string& files) {
  std::error_code failed;
  std::filesystem::create_directories(directory_ + "/index", failed);
  if (failed) return base::Error{fmt::format("making {} failed: {}", directory_, failed.message())};
  const std::string name = package_name(record.label, record.hash);
  const std::string path = fmt::format("{}/{}", directory_, name);
  const auto lock = base::FileLock::take(path + ".lock", stop_);
  if (!lock) return lock.error();
  if (!has_content(path, record.hash)) {
    const std::string unfinished = fmt::format(".new-{}-", name);
    remove_all_named(directory_, unfinished);
    const std::string fresh =
        fmt::format("{}/{}{}-{}", directory_, unfinished, getpid(), next_.fetch_add(1));
    if (auto copied = archive::copy_tree(files, fresh); !copied) return copied.error();
    if (auto kept = archive::make_read_only(fresh); !kept) return kept.error();
    // Other runs may still read a damaged one; they have opened what they read.
    if (auto gone = archive::remove_tree(path); !gone) return gone.error();
    if (rename(fresh.c_str(), path.c_str()) != 0) return failure("moving a package to", path);
  }
  const std::string_view state =
      record.version.empty() && record.revision.empty() ? record.hash : record.revision;
  const auto written = base::write_file(index_of(record.label, record.version, state),
                                        index_text(name, record), 0644, base::Sync::No);
  if (!written) return written.error();
  return path;
}

}  // namespace tofu::install
