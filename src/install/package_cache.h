// A directory of packages that are found by what they are: a module cache or a mirror.
//
// Packages stand in it under the hash of their content, without write permission. A small index
// maps a version or commit of a source to its content, so that it need not be fetched again; what
// may change (a branch, a URL) is found only by the content that a lock names, or in a mirror by
// what the source meant when it was mirrored. Many processes may use one cache at once: finding
// takes no lock and writes nothing, so the directory may be read-only. Each package has a lock for
// those who add or remove it, is written under a temporary name and renamed into place, and is
// verified whenever it is used, so a damaged one is replaced and not believed.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "install/package_records.h"

namespace tofu::install {

struct CachedPackage {
  PackageRecord record;
  std::string path;  // absolute
};

// One state of one source.
struct PackageKey {
  std::string origin;        // the source; of a git repository without its ref
  std::string version = {};  // of a registry module
  std::string state = {};    // the commit, or the hash of the files
};

// The key of a package that was fetched.
PackageKey key_of(const PackageRecord& record);

// The source without what only chooses a commit: the same for every ref of a git repository.
std::string package_origin(std::string_view label);

class PackageCache {
 public:
  // The directory is made when something is put there.
  // Waiting for others ends with an error when a stop is requested.
  PackageCache(std::string directory, const std::stop_token& stop);

  const std::string& directory() const { return directory_; }

  // The package of a source in this state. Nothing if it is missing or damaged.
  std::optional<CachedPackage> find(const PackageKey& key) const;

  // Copies the package at `files` into the cache, unless it is there and whole.
  // Returns where it is.
  base::Result<std::string> add(const PackageRecord& record, const std::string& files);
  // Adds a further source of a package that is in the cache.
  base::Result<void> add_source(const PackageRecord& record);

  // For mirrors. Records that a source stands for this package, which add() has put there: later
  // found by latest() and, with a version, listed by versions().
  base::Result<void> publish(const PackageRecord& record);
  std::optional<CachedPackage> latest(std::string_view label) const;
  std::vector<std::string> versions(std::string_view label) const;

  // Packages that no run has used for so long, and what interrupted runs left.
  struct Pruned {
    std::vector<std::string> packages;  // names of directories
    std::uint64_t bytes = 0;
  };
  base::Result<Pruned> prune(std::chrono::seconds unused_for, bool only_list);

 private:
  std::string index_of(const PackageKey& key) const;
  std::optional<CachedPackage> read_index(const std::string& path) const;
  base::Result<void> write_index(const std::string& path, const PackageRecord& record);
  base::Result<void> make_directory() const;
  void remove_dead_entries() const;

  std::string directory_;  // absolute
  std::stop_token stop_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace tofu::install
