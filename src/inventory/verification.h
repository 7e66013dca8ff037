// Compares the files of installed packages with their hashes.
//
// Works on the records alone, so that it also tells which packages are damaged where no
// configuration can be loaded because of them.
#pragma once

#include <string>
#include <vector>

#include "install/lock_file.h"
#include "install/package_records.h"

namespace tofu::inventory {

struct VerifiedPackage {
  install::PackageRecord package;
  std::string directory;
  std::string found_hash;             // of the files; empty if they cannot be read
  std::vector<std::string> problems;  // each the rest of a sentence about the package
};

// The packages in `packages_directory`, which calls share or libraries come from. Copies of single
// calls may change themselves and are not compared.
std::vector<VerifiedPackage> verify_packages(const install::PackageRecords& records,
                                             const std::string& packages_directory,
                                             const install::LockFile& lock);

}  // namespace tofu::inventory
