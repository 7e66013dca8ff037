// Progress and results of an installation: places, records, locks and counts.
//
// Filled while the configuration is linked. Nothing is final before finish(): then the records list
// the installed packages, and unused ones are removed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/tree.h"
#include "diag/diagnostic.h"
#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/module_place.h"
#include "install/package_records.h"
#include "install/packages.h"

namespace tofu::install {

// The result of an installation, for people.
struct InstallSummary {
  std::size_t fetched = 0;        // packages
  std::size_t shared = 0;         // packages that calls link to
  std::size_t sharing_calls = 0;  // calls that link to them
  std::size_t copied = 0;         // calls with a copy of their own, made in this run
  std::uint64_t saved_bytes = 0;  // that copies for all calls would have taken
};

class InstallLedger {
 public:
  // Called for each module that was installed, for people to see.
  using Installed =
      std::function<void(const addrs::ModulePath& module, const std::string& directory)>;

  // The records are those so far; what stays the same is installed again only if
  // `again`. Everything else outlives this.
  InstallLedger(Manifest manifest, const PackageRecords& before, bool again, Packages& packages,
                Installed installed);

  void enter_root(ModulePlace root) { places_.insert_or_assign("", std::move(root)); }
  // Enters a module that was found into all records.
  config::FoundModule enter(const config::ModuleRequest& request, ModulePlace place,
                            CallRecord record, ManifestEntry entry);
  void lock(const Package& package, const std::optional<addrs::Constraints>& version);
  void count_copy() { ++copied_; }
  void count_link(const std::string& package) { ++links_[package]; }

  // Null if nothing is there under that key.
  const ModulePlace* place_of(std::string_view key) const;
  const ModulePlace& root() const { return *place_of(""); }
  const ModulePlace& parent_of(const addrs::ModulePath& module) const;

  // `complete`: there were no errors, so everything that was not used is no longer needed.
  void finish(bool complete, diag::Diagnostics& diags);

  bool again() const { return again_; }
  const PackageRecords& before() const { return before_; }
  Manifest& manifest() { return manifest_; }
  const Manifest& manifest() const { return manifest_; }
  PackageRecords& records() { return records_; }
  const PackageRecords& records() const { return records_; }
  // The package entries for the lock file: those that change themselves are not in it.
  std::vector<ModuleLock> locks() const;
  InstallSummary summary() const;

 private:
  void forget_unused(diag::Diagnostics& diags);

  Manifest manifest_;
  const PackageRecords& before_;
  PackageRecords records_;
  bool again_;
  Packages& packages_;
  Installed installed_;
  std::map<std::string, ModulePlace, std::less<>> places_;           // by key; "" is the root
  std::map<std::pair<std::string, std::string>, ModuleLock> locks_;  // by label and version
  std::map<std::string, std::size_t, std::less<>> links_;            // calls of each shared package
  std::size_t copied_ = 0;
};

}  // namespace tofu::install
