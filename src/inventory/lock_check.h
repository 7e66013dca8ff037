// Compares the installed module packages with the lock file.
//
// Packages that calls share are locked. Between two runs of init the lock file may change (a commit
// of another person moves it, a merge drops an entry) without the installed files following it; a
// command that used them would work on other modules than those that were reviewed.
#pragma once

#include <span>
#include <string>

#include "diag/diagnostic.h"
#include "install/lock_file.h"
#include "install/module_finder.h"

namespace tofu::inventory {

enum class LockState { Locked, NotLocked, OtherState, OtherHash };

struct LockComparison {
  LockState state = LockState::Locked;
  const install::ModuleLock* lock = nullptr;  // the entry that comes closest
};

LockComparison compare_with_lock(const install::PackageRecord& package,
                                 const install::LockFile& lock);

// What is wrong, as the rest of a sentence about the package; empty if it is locked as it is.
std::string lock_problem(const install::PackageRecord& package, const install::LockFile& lock);

// Reports all shared packages that differ from the lock in one error.
diag::Checked<void> check_lock(std::span<const install::PackageUse> packages,
                               const install::LockFile& lock, diag::Diagnostics& diags);

}  // namespace tofu::inventory
