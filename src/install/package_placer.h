// Putting packages where calls see them: shared and linked to, or copied.
//
// The third of three steps: see package_resolver.h. The caller decides whether calls share a
// package (sharing.h). Copies are made in the background; finish() waits for them and reports their
// errors.
#pragma once

#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "install/local_copy.h"
#include "install/package_acquirer.h"
#include "install/package_cache.h"
#include "install/package_store.h"
#include "install/workers.h"

namespace tofu::install {

class PackagePlacer {
 public:
  // All outlive this. `cache` is null if there is none.
  PackagePlacer(PackageStore& store, const std::string& data_directory, PackageCache* cache,
                const std::stop_token& stop);

  // Makes the package one that many calls see. Afterwards it is in the store.
  base::Result<void> share(Package& package);
  // Makes `entry` lead to the shared package: a link, or a copy where links cannot be.
  base::Result<void> link(Package& package, const std::string& entry);
  // Makes `entry` a copy of its own. Copies may be finished later, by finish().
  base::Result<void> copy(Package& package, const std::string& entry);

  // Makes `entry` a copy of a package that another call sees.
  base::Result<void> copy_directory(const std::string& from, const std::string& entry);
  // LocalCopies::begin() and add().
  base::Result<void> begin_local_copy(const std::string& path, const std::string& entry);
  base::Result<void> add_to_local_copy(const std::string& path, const std::string& entry,
                                       const std::vector<std::string>& whole);

  // Why a package could not be added to the cache; empty if nothing failed.
  std::string cache_problem() const { return cache_problem_; }

  // Waits for copies in the background.
  void wait_for_copies() { copiers_.wait(); }
  // Waits for all copies, and until all packages of this run are on disk, so that no record names a
  // package that a power failure loses. Returns their errors.
  std::vector<base::Error> finish();

 private:
  // Puts the package into .terraform/packages: from the cache, or without it.
  base::Result<void> share_from(const std::string& cached, const std::string& path);
  base::Result<void> share_files(Package& package, const std::string& path);

  PackageStore& store_;
  LocalCopies local_copies_;
  PackageCache* cache_;
  std::stop_token stop_;
  std::mutex mutex_;
  std::vector<base::Error> problems_;
  std::string cache_problem_;
  Workers copiers_;  // last: its threads end before the rest goes
};

}  // namespace tofu::install
