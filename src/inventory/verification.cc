#include "inventory/verification.h"

#include <fmt/format.h>
#include <map>
#include <utility>

#include "archive/tree_hash.h"
#include "inventory/lock_check.h"

namespace tofu::inventory {

std::vector<VerifiedPackage> verify_packages(const install::PackageRecords& records,
                                             const std::string& packages_directory,
                                             const install::LockFile& lock) {
  std::map<std::string, std::string, std::less<>> shared;  // by name: who says that it is read-only
  for (const auto& [key, call] : records.calls) {
    if (call.placement == install::Placement::Shared) shared.emplace(call.package, call.decided_by);
  }
  for (const auto& [key, library] : records.libraries) shared.emplace(library.package, "");
  std::vector<VerifiedPackage> verified;
  for (const auto& [name, package] : records.packages) {
    const auto promise = shared.find(name);
    if (promise == shared.end()) continue;
    VerifiedPackage one{package, fmt::format("{}/{}", packages_directory, name), {}, {}};
    const auto hash = archive::hash_tree(one.directory);
    if (hash) one.found_hash = *hash;
    if (!hash) {
      one.problems.push_back(fmt::format("cannot be read: {}", hash.error().what));
    } else if (*hash != package.hash) {
      one.problems.push_back(fmt::format(
          "was changed after it was installed: its files have the hash {} instead of {}", *hash,
          package.hash));
      if (!promise->second.empty()) {
        one.problems.push_back(fmt::format(
            "is read-only according to {}: if its modules write into path.module, declare them "
            "with read-only = {{ self = false }}",
            promise->second));
      }
    }
    if (std::string problem = lock_problem(package, lock); !problem.empty()) {
      one.problems.push_back(std::move(problem));
    }
    verified.push_back(std::move(one));
  }
  return verified;
}

}  // namespace tofu::inventory
