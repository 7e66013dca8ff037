#include "inventory/lock_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace tofu::inventory {

namespace {

const std::string& state_of(const install::PackageRecord& package) {
  return package.version.empty() ? package.revision : package.version;
}

// "module.a, module.b and 7 more".
std::string list_of(std::span<const std::string> users) {
  constexpr std::size_t kMaxListed = 3;
  if (users.size() <= kMaxListed) return fmt::format("{}", fmt::join(users, ", "));
  return fmt::format("{} and {} more", fmt::join(users.first(kMaxListed), ", "),
                     users.size() - kMaxListed);
}

}  // namespace

LockComparison compare_with_lock(const install::PackageRecord& package,
                                 const install::LockFile& lock) {
  const auto entries = lock.find_modules(package.label);
  if (entries.empty()) return {LockState::NotLocked};
  const auto same = std::ranges::find_if(
      entries, [&](const install::ModuleLock* each) { return each->version == state_of(package); });
  if (same == entries.end()) return {LockState::OtherState, entries.front()};
  const bool is_same = (*same)->hashes.empty() || (*same)->has_hash(package.hash) ||
                       (!package.archive_hash.empty() && (*same)->has_hash(package.archive_hash));
  return {is_same ? LockState::Locked : LockState::OtherHash, *same};
}

std::string lock_problem(const install::PackageRecord& package, const install::LockFile& lock) {
  const LockComparison compared = compare_with_lock(package, lock);
  switch (compared.state) {
    case LockState::Locked: return {};
    case LockState::NotLocked: return "is installed, but the lock file has no entry for it";
    case LockState::OtherState:
      return fmt::format("is installed at {}, but is locked at {}",
                         state_of(package).empty() ? package.hash : state_of(package),
                         compared.lock->version.empty() ? "another state" : compared.lock->version);
    case LockState::OtherHash:
      return fmt::format("is installed with the hash {}, but is locked with {}", package.hash,
                         fmt::join(compared.lock->hashes, ", "));
  }
  base::broken_promise("lock state out of range");
}

diag::Checked<void> check_lock(std::span<const install::PackageUse> packages,
                               const install::LockFile& lock, diag::Diagnostics& diags) {
  std::string list;
  for (const install::PackageUse& use : packages) {
    if (!use.is_shared) continue;  // what may change itself is not locked
    const std::string problem = lock_problem(use.package, lock);
    if (problem.empty()) continue;
    list += fmt::format("\n  - {} {} (used by {})", use.package.label, problem, list_of(use.users));
  }
  if (list.empty()) return true;
  diags.error("Inconsistent dependency lock file")
      .detail(fmt::format("The installed module packages do not match {}:{}\n\nTo install the "
                          "locked packages and to add missing entries, run:\n  tofu init\n\nTo "
                          "lock the current packages of all sources, run:\n  tofu init -upgrade",
                          install::kLockFile, list));
  return false;
}

}  // namespace tofu::inventory
