// Getting the files of a resolved package: installed already, in the cache, or fetched.
//
// The second of three steps: see package_resolver.h. Packages are checked against the lock; a
// damaged package is fetched again in the state it was in. Safe to use from several threads.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "base/result.h"
#include "config/package_metadata.h"
#include "install/package_fetcher.h"
#include "install/package_layers.h"
#include "install/package_records.h"
#include "install/package_resolver.h"
#include "install/package_store.h"
#include "install/registry.h"

namespace tofu::install {

struct Package {
  std::string name;  // of its directory in .terraform/packages
  PackageRecord record;
  std::string files;      // where its files are now
  bool in_store = false;  // they are in .terraform/packages, under its name
  bool owned = false;     // they are a call's own copy
  bool cached = false;    // they are in a cache, where links may lead
  bool fetched = false;   // in this run
  std::uint64_t bytes = 0;
  std::optional<config::PackageMetadata> metadata = {};  // absent: it has no such file
  bool metadata_read = false;
};

// Called while packages are acquired; never two at once.
struct PackageHooks {
  std::function<void(const std::string& label, const std::string& version,
                     const std::string& asked_by)>
      fetching = [](const auto&, const auto&, const auto&) {};
  std::function<void(const std::string& label)> repaired = [](const auto&) {};
};

// The sources of packages and the clients for them. Everything outlives its users.
struct PackageSources {
  Registry& registry;
  PackageFetcher& fetcher;
  const PackageRecords& before;  // what is installed; does not change meanwhile
  PackageStore& store;
  const PackageLayers& layers;
  std::stop_token stop;
};

class PackageAcquirer {
 public:
  PackageAcquirer(PackageSources sources, bool upgrade, PackageHooks hooks)
      : from_(sources), upgrade_(upgrade), hooks_(std::move(hooks)) {}

  base::Result<std::unique_ptr<Package>, Refusal> acquire(ResolvedPackage wanted);

 private:
  // A package that is to be fetched, and whether it replaces a damaged one.
  struct Acquisition {
    ResolvedPackage package;
    bool repairs = false;
  };
  // The source of a package.
  struct Location {
    addrs::RemoteSource source;
    bool direct = false;
    std::optional<base::Hostname> token_of = {};
  };

  bool learns_commit(const ResolvedPackage& wanted) const;
  void learn_commit(ResolvedPackage& wanted);
  std::unique_ptr<Package> installed(Acquisition& wanted) const;
  std::unique_ptr<Package> cached(const ResolvedPackage& wanted) const;
  std::optional<Refusal> refuses_to_fetch(const ResolvedPackage& wanted) const;
  base::Result<std::unique_ptr<Package>, Refusal> fetch(const Acquisition& wanted);
  base::Result<Location, Refusal> locate(const ResolvedPackage& wanted);

  PackageSources from_;
  bool upgrade_;
  PackageHooks hooks_;
  std::mutex hook_mutex_;
};

}  // namespace tofu::install
