// The packages of one installation: resolved, acquired, and placed.
//
// Ties the three steps together (package_resolver.h, package_acquirer.h,
// package_placer.h). Distinct packages are acquired side by side; what many calls ask for
// is acquired once.
#pragma once

#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/package_metadata.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/package_acquirer.h"
#include "install/package_layers.h"
#include "install/package_placer.h"
#include "install/package_resolver.h"
#include "install/package_store.h"
#include "install/workers.h"

namespace tofu::install {

struct PackageSettings {
  std::string data_directory;  // .terraform
  PackageLayerSettings layers = {};
  bool upgrade = false;           // look for newer ones, and leave the lock aside
  bool lock_is_readonly = false;  // what the lock does not hold is not shared
};

class Packages {
 public:
  // Everything outlives this. `locked` and `before` do not change meanwhile.
  Packages(PackageSettings settings, Registry& registry, PackageFetcher& fetcher,
           const LockFile& locked, const PackageRecords& before, PackageHooks hooks,
           const std::stop_token& stop);
  ~Packages();
  Packages(const Packages&) = delete;
  Packages& operator=(const Packages&) = delete;

  // Begins to acquire it, in the background.
  void expect(const PackageRequest& request);
  // Waits for it. The pointer lives as long as this does.
  base::Result<Package*, Refusal> get(const PackageRequest& request);
  // All that were acquired in this run.
  std::vector<const Package*> all() const;

  // Reads the package's own file, once. Errors in it are reported each time.
  const config::PackageMetadata* metadata_of(Package& package, diag::SourceMap& sources,
                                             diag::Diagnostics& diags);

  bool is_locked(const addrs::ModuleSource& source) const { return resolver_.is_locked(source); }
  // Why calls cannot share the package: the lock file may not change, and does not hold it.
  std::optional<Refusal> refuses_to_lock(const Package& package) const;

  bool is_stopped() const { return stop_.stop_requested(); }
  PackageStore& store() { return store_; }
  // Why nothing could be added to the cache; empty if nothing failed.
  std::string cache_problem() const { return placer_.cache_problem(); }
  PackagePlacer& placer() { return placer_; }
  base::Result<void> open_store() { return store_.open(stop_); }

 private:
  using Outcome = base::Result<Package*, Refusal>;
  using Outcomes = std::map<std::string, std::shared_future<Outcome>, std::less<>>;

  Outcome resolve_and_acquire(const PackageRequest& request);
  Outcome acquire(ResolvedPackage wanted);

  PackageSettings settings_;
  std::stop_token stop_;
  PackageStore store_;
  PackageLayers layers_;
  PackageResolver resolver_;
  PackageAcquirer acquirer_;
  PackagePlacer placer_;

  std::mutex mutex_;   // of what follows
  Outcomes asked_;     // by request
  Outcomes resolved_;  // by what that means
  std::vector<std::unique_ptr<Package>> packages_;
  Workers fetchers_;  // last: its threads end before the rest goes
};

}  // namespace tofu::install
