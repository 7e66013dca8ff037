// A store of packages that many working directories share: TF_MODULE_CACHE_DIR.
//
// Packages stand in it under the hash of their content, without write permission. A small index
// maps a version or commit of a source to its content, so that it need not be fetched again; what
// may change (a branch, a URL) is found only by the content that a lock names. Many processes may
// use one cache at once: each package has a lock, is written under a temporary name and renamed
// into place, and is verified whenever it is used, so a damaged one is replaced and not believed.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/result.h"
#include "install/package_records.h"

namespace tofu::install {

struct CachedPackage {
  PackageRecord record;
  std::string path;  // absolute
};

class PackageCache {
 public:
  // The directory is made when something is put there.
  // Waiting for others ends with an error when a stop is requested.
  PackageCache(std::string directory, const std::stop_token& stop);

  const std::string& directory() const { return directory_; }

  // The package of a source in this state: a version, a commit, or a content that is known from a
  // lock. Nothing if it is missing or damaged.
  std::optional<CachedPackage> find(std::string_view label, std::string_view version,
                                    std::string_view state) const;

  // Copies the package at `files` into the cache, unless it is there and whole.
  // Returns where it is.
  base::Result<std::string> add(const PackageRecord& record, const std::string& files);

 private:
  std::string path_of(std::string_view label, std::string_view hash) const;
  std::string index_of(std::string_view label, std::string_view version,
                       std::string_view state) const;

  std::string directory_;  // absolute
  std::stop_token stop_;
  std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace tofu::install
