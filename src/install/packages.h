// Getting packages: from what a call asks for to files on this disk.
//
// Settles which version or commit is meant (the locked one, if there is a lock),
// looks whether it is installed or in the cache, and fetches it if not. Distinct
// packages are fetched side by side; what many calls ask for is fetched once. Where
// the files finally stand (shared or copied) is decided by whoever asked, and done
// here.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "addrs/module_source.h"
#include "base/result.h"
#include "config/package_metadata.h"
#include "config/version.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/local_copy.h"
#include "install/lock_file.h"
#include "install/package_cache.h"
#include "install/package_fetcher.h"
#include "install/package_records.h"
#include "install/package_store.h"
#include "install/registry.h"
#include "install/workers.h"

namespace tofu::install {

// Why there is no package, for the diagnostic that the asker makes.
struct Refusal {
  std::string summary;
  std::string detail;
};

struct PackageRequest {
  addrs::ModuleSource source;  // not a local one
  std::optional<config::Constraints> version = {};
  // Asked for by a package that came from elsewhere itself.
  bool from_elsewhere = false;
  std::string asked_by = {};  // for people
};

struct Package {
  std::string name;  // of its directory in .terraform/packages
  PackageRecord record;
  std::string files;      // where its files are now
  bool in_store = false;  // they are in .terraform/packages, under its name
  bool owned = false;     // they are a call's own copy
  bool fetched = false;   // in this run
  std::uint64_t bytes = 0;
  std::optional<config::PackageMetadata> metadata = {};  // absent: it has no such file
  bool metadata_read = false;
};

struct PackageSettings {
  std::string data_directory;        // .terraform
  std::string cache_directory = {};  // empty: there is none
  bool upgrade = false;              // look for newer ones, and leave the lock aside
  bool lock_is_readonly = false;     // what the lock does not hold is not shared
};

// Told while packages are got; never two at once.
struct PackageHooks {
  std::function<void(const std::string& label, const std::string& version,
                     const std::string& asked_by)>
      fetching = [](const auto&, const auto&, const auto&) {};
  std::function<void(const std::string& label)> repaired = [](const auto&) {};
};

class Packages {
 public:
  // Everything outlives this. `locked` and `before` do not change meanwhile.
  Packages(PackageSettings settings, Registry& registry, PackageFetcher& fetcher,
           const LockFile& locked, const PackageRecords& before, PackageHooks hooks,
           const std::atomic<bool>& cancelled);
  ~Packages();
  Packages(const Packages&) = delete;
  Packages& operator=(const Packages&) = delete;

  // Begins to get it, in the background.
  void expect(const PackageRequest& request);
  // Waits for it. The pointer lives as long as this does.
  base::Result<Package*, Refusal> get(const PackageRequest& request);

  // Reads the package's own file, once. Mistakes in it are reported each time.
  const config::PackageMetadata* metadata_of(Package& package, diag::SourceMap& sources,
                                             diag::Diagnostics& diags);

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
  // What is copied in the background is there afterwards.
  void wait_for_copies() { copiers_.wait(); }

  // Whether the lock file has something to say about the source.
  bool is_locked(const addrs::ModuleSource& source) const;
  // Why calls cannot share the package: the lock file may not change, and does not hold it.
  std::optional<Refusal> refuses_to_lock(const Package& package) const;

  // Waits for all copies, and until everything that was got in this run is on disk, so
  // that no record names what a power failure loses. What went wrong with them.
  std::vector<base::Error> finish();

  bool is_cancelled() const { return cancelled_; }
  PackageStore& store() { return store_; }
  base::Result<void> open_store() { return store_.open(cancelled_); }
  // All that were got in this run, by their names.
  std::vector<const Package*> all() const;

 private:
  using Outcome = base::Result<Package*, Refusal>;
  struct Wanted;

  Outcome acquire(const PackageRequest& request);
  base::Result<Wanted, Refusal> settle(const PackageRequest& request);
  base::Result<Wanted, Refusal> settle_registry(const addrs::RegistrySource& source,
                                                const PackageRequest& request);
  Outcome obtain(Wanted wanted);
  std::unique_ptr<Package> installed(Wanted& wanted);
  std::unique_ptr<Package> cached(const Wanted& wanted) const;
  base::Result<std::unique_ptr<Package>, Refusal> fetch(const Wanted& wanted);
  std::optional<Refusal> contradicts_lock(const Wanted& wanted, const PackageRecord& record) const;

  PackageSettings settings_;
  Registry& registry_;
  PackageFetcher& fetcher_;
  const LockFile& locked_;
  const PackageRecords& before_;
  PackageHooks hooks_;
  const std::atomic<bool>& cancelled_;
  PackageStore store_;
  LocalCopies local_copies_;
  std::optional<PackageCache> cache_;

  std::mutex mutex_;                                                        // of the maps
  std::map<std::string, std::shared_future<Outcome>, std::less<>> asked_;   // by what is asked for
  std::map<std::string, std::shared_future<Outcome>, std::less<>> states_;  // by what was settled
  std::vector<std::unique_ptr<Package>> packages_;
  std::mutex hook_mutex_;
  std::mutex copy_mutex_;
  std::vector<base::Error> copy_problems_;
  // Last: their threads end before the rest goes.
  Workers fetchers_;
  Workers copiers_;
};

// Whether a package lies on this machine's own disk, so that it may name others there.
bool is_of_this_machine(const addrs::ModuleSource& source);

// What the lock file calls the package of a source.
std::string package_label(const addrs::ModuleSource& source);

// Whether a version from a registry is one that the constraints mean. A pre-release
// has to be named exactly, alone.
bool selects(const std::optional<config::Constraints>& constraints,
             const config::Version& candidate);

}  // namespace tofu::install
