// The packages that an installation moved to another state, and what their callers see of it.
//
// Made before an installation, it reads the interfaces of the modules that may be replaced;
// afterwards it compares them with those that took their places.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "install/lock_file.h"
#include "install/manifest.h"
#include "install/package_records.h"
#include "inventory/interface_change.h"

namespace tofu::inventory {

// One package in another state, or one entry of the lock file that came or went.
struct PackageChange {
  std::string source;
  std::string before;  // version, commit or hash
  std::string after;
  std::vector<std::string> users;    // calls and imports
  std::vector<std::string> details;  // interface_changes(), under the modules they are about
};

class PackageChanges {
 public:
  // `with_interfaces`: modules may be replaced, so their interfaces are read now.
  PackageChanges(const install::Manifest& manifest, const install::PackageRecords& records,
                 bool with_interfaces);

  // The packages that are in another state now.
  std::vector<PackageChange> compare(const install::Manifest& manifest,
                                     const install::PackageRecords& records) const;

 private:
  struct Module {
    install::PackageRecord package;
    std::string path;  // of the module in its package
    std::optional<ModuleInterface> interface = {};
  };

  std::map<std::string, Module, std::less<>> modules_;                    // by key
  std::map<std::string, install::PackageRecord, std::less<>> libraries_;  // by key
};

// For people: a line for each change, and its details below it.
std::string changes_text(const std::vector<PackageChange>& changes);

// Lines about entries that a lock file got or lost, where it had entries before: a merge may have
// dropped one, and a call may be gone.
std::vector<std::string> lock_changes(const install::LockFile& before,
                                      const install::LockFile& after);

}  // namespace tofu::inventory
