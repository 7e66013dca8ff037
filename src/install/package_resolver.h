// Which package a request means: its version or commit, by the lock file and the registry.
//
// The first of three steps from a request to files on this disk: resolve, acquire
// (package_acquirer.h), place (package_placer.h). Nothing is fetched here; the only requests are
// those for the versions in a registry and the tags of a repository. Safe to use from several
// threads.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "base/result.h"
#include "install/lock_file.h"
#include "install/package_fetcher.h"
#include "install/package_layers.h"
#include "install/package_records.h"
#include "install/package_store.h"
#include "install/registry.h"

namespace tofu::install {

// Why there is no package, for the caller's diagnostic.
struct Refusal {
  std::string summary;
  std::string detail;
  std::string missing = {};  // the package, where the rules of this machine forbid fetching it
};

struct PackageRequest {
  addrs::ModuleSource source;  // not a local one
  std::optional<addrs::Constraints> version = {};
  // Requested by a fetched package.
  bool untrusted = false;
  std::string asked_by = {};  // for people
};

// A resolved request.
struct ResolvedPackage {
  std::string label;
  std::string version = {};  // of a registry module, or of a tag
  // Its location. Of a registry module not known before it has to be fetched.
  std::optional<addrs::RemoteSource> address = {};
  std::optional<addrs::RegistrySource> registry = {};
  std::string revision = {};         // the commit it has to be
  const ModuleLock* lock = nullptr;  // its required checksum
  bool untrusted = false;
  std::string asked_by = {};

  // Equal for requests that mean the same package and have the same answer.
  std::string key() const;
};

// What is asked for versions. All outlive their users.
struct VersionSources {
  Registry& registry;
  PackageFetcher& fetcher;
  const PackageLayers& layers;
  PackageStore& store;  // has room for a short time
  std::stop_token stop;
};

class PackageResolver {
 public:
  // All outlive this, and the lock file does not change meanwhile. `upgrade`: look for
  // newer versions, and leave the lock aside.
  PackageResolver(VersionSources sources, const LockFile& locked, bool upgrade)
      : from_(sources), locked_(locked), upgrade_(upgrade) {}

  base::Result<ResolvedPackage, Refusal> resolve(const PackageRequest& request) const;

  // Whether the lock file has something to say about the source.
  bool is_locked(const addrs::ModuleSource& source) const;
  // Why a package that was found is not the one that is locked.
  static std::optional<Refusal> contradicts_lock(const ResolvedPackage& wanted,
                                                 const PackageRecord& found);
  // Why calls cannot share the package if the lock file may not change: it is not in it.
  std::optional<Refusal> is_missing_in_lock(const PackageRecord& record) const;

 private:
  base::Result<ResolvedPackage, Refusal> resolve_version(ResolvedPackage wanted,
                                                         const PackageRequest& request) const;
  base::Result<ResolvedPackage, Refusal> newest(ResolvedPackage wanted,
                                                const PackageRequest& request) const;

  // The newest version that a call allows, by the registry, tags or mirrors.
  struct Offer {
    addrs::Version version;
    std::string commit = {};  // of a tag
  };
  base::Result<std::vector<Offer>, Refusal> offered(const ResolvedPackage& wanted) const;
  base::Result<std::vector<Offer>, Refusal> offered_at_source(const ResolvedPackage& wanted) const;

  VersionSources from_;
  const LockFile& locked_;
  bool upgrade_;
};

// Equal for requests that have the same answer. Whether a package may be on this machine depends on
// the request.
std::string request_key(const PackageRequest& request);

// Whether a package lies on this machine's own disk, so that it may name others there.
bool is_of_this_machine(const addrs::ModuleSource& source);

// The name of a source's package in the lock file.
std::string package_label(const addrs::ModuleSource& source);

// The ref that a source asks for, as its label says; empty if it has none.
std::string requested_ref(std::string_view label);

// The first hash of unpacked files that a lock has; empty if it has none.
std::string first_hash(const ModuleLock& lock);

// Whether a version from a registry is one that the constraints mean. A pre-release
// has to be named exactly, alone.
bool selects(const std::optional<addrs::Constraints>& constraints, const addrs::Version& candidate);

}  // namespace tofu::install
