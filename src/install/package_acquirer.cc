#include "install/package_acquirer.h"

#include <fmt/format.h>
#include <utility>

#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "install/package_metadata_file.h"

namespace tofu::install {

base::Result<std::unique_ptr<Package>, Refusal> PackageAcquirer::acquire(ResolvedPackage resolved) {
  Acquisition wanted{std::move(resolved)};
  std::unique_ptr<Package> package = installed(wanted);
  if (!package) package = cached(wanted.package);
  if (!package) {
    auto fetched = fetch(wanted);
    if (!fetched) return std::move(fetched).error();
    package = std::move(*fetched);
  }
  if (const auto size = archive::tree_size(package->files)) package->bytes = size->bytes;
  return package;
}

// A package in .terraform/packages. A damaged one is fetched again, in the state in which it was.
std::unique_ptr<Package> PackageAcquirer::installed(Acquisition& wanted) const {
  ResolvedPackage& meant = wanted.package;
  // A version of a registry stays what it is, anything else may be newer elsewhere.
  if (upgrade_ && meant.version.empty()) return nullptr;
  for (const auto& [name, record] : from_.before.packages) {
    if (record.label != meant.label || record.version != meant.version) continue;
    if (!meant.revision.empty() && record.revision != meant.revision) continue;
    if (PackageResolver::contradicts_lock(meant, record)) continue;
    const std::string path = from_.store.package_path(name);
    const auto hash = archive::hash_tree(path);
    if (hash && *hash == record.hash) {
      auto package = std::make_unique<Package>();
      *package = {.name = name, .record = record, .files = path, .in_store = true};
      return package;
    }
    if (const auto kind = base::file_kind(path); kind && *kind != base::FileKind::Missing) {
      wanted.repairs = true;
      if (meant.revision.empty()) meant.revision = record.revision;
    }
  }
  return nullptr;
}

std::unique_ptr<Package> PackageAcquirer::cached(const ResolvedPackage& wanted) const {
  if (from_.cache == nullptr) return nullptr;
  std::string state = wanted.revision;
  if (wanted.version.empty() && state.empty() && wanted.lock != nullptr) {
    state = first_hash(*wanted.lock);
  }
  if (wanted.version.empty() && state.empty()) return nullptr;
  const auto found = from_.cache->find(wanted.label, wanted.version, state);
  if (!found || PackageResolver::contradicts_lock(wanted, found->record)) return nullptr;
  auto package = std::make_unique<Package>();
  *package = {.name = package_name(wanted.label, found->record.hash),
              .record = found->record,
              .files = found->path};
  return package;
}

base::Result<PackageAcquirer::Location, Refusal> PackageAcquirer::locate(
    const ResolvedPackage& wanted) {
  if (!wanted.registry) return Location{*wanted.address};
  const auto failed = [&](std::string_view why) {
    return Refusal{"Error accessing remote module registry",
                   fmt::format("The location of {} {} could not be determined: {}.", wanted.label,
                               wanted.version, why)};
  };
  const auto version = addrs::Version::parse(wanted.version);
  if (!version) return failed(version.error().what);
  auto location = from_.registry.location(*wanted.registry, *version);
  if (!location) return failed(location.error().what);
  Location found{std::move(location->source), location->direct};
  if (location->with_token) found.token_of = wanted.registry->host;
  return found;
}

base::Result<std::unique_ptr<Package>, Refusal> PackageAcquirer::fetch(const Acquisition& wanted) {
  const ResolvedPackage& meant = wanted.package;
  const auto refused = [&](std::string_view what) {
    return Refusal{"Failed to download module",
                   fmt::format("Could not download module package {}{}{}: {}.", meant.label,
                               meant.version.empty() ? "" : " ", meant.version, what)};
  };
  {
    const std::lock_guard lock(hook_mutex_);
    if (auto opened = from_.store.open(from_.stop); !opened) {
      return refused(opened.error().what);
    }
    if (wanted.repairs) {
      hooks_.repaired(meant.label);
    } else {
      hooks_.fetching(meant.label, meant.version, meant.asked_by);
    }
  }
  const auto location = locate(meant);
  if (!location) return location.error();
  auto package = std::make_unique<Package>();
  package->files = from_.store.temporary_path();
  const auto fetched = from_.fetcher.fetch({.source = {location->source.package},
                                            .into = package->files,
                                            .revision = meant.registry ? "" : meant.revision,
                                            .untrusted = meant.untrusted,
                                            .direct = location->direct,
                                            .token_of = location->token_of});
  if (!fetched) return refused(fetched.error().what);
  const auto hash = archive::hash_tree(package->files);
  if (!hash) return refused(hash.error().what);
  const auto subdir =
      find_subdir(package->files, meant.registry ? location->source.subdir : "", "");
  if (!subdir) return refused(subdir.error().what);
  package->fetched = true;
  package->record = {.label = meant.label,
                     .version = meant.version,
                     .revision = meant.registry ? "" : fetched->revision,
                     .hash = *hash,
                     .archive_hash = fetched->archive_hash,
                     .subdir = *subdir};
  package->name = package_name(meant.label, *hash);
  if (auto refusal = PackageResolver::contradicts_lock(meant, package->record)) {
    (void)archive::remove_tree(package->files).ok();  // the next run tries again if it stays
    return std::move(*refusal);
  }
  return package;
}

}  // namespace tofu::install
