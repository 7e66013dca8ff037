#include "install/package_acquirer.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "archive/tree_copy.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "fetch/git_fetch.h"
#include "fetch/git_repository.h"
#include "fetch/source_query.h"
#include "install/package_metadata_file.h"

namespace tofu::install {

base::Result<std::unique_ptr<Package>, Refusal> PackageAcquirer::acquire(ResolvedPackage resolved) {
  Acquisition wanted{std::move(resolved)};
  std::string commit = wanted.package.revision;
  if (learns_commit(wanted.package)) learn_commit(wanted.package);
  std::unique_ptr<Package> package = installed(wanted);
  if (!package) package = cached(wanted.package);
  if (!package) {
    if (auto refusal = refuses_to_fetch(wanted.package)) return std::move(*refusal);
    // Fetched by its name where the lock does not say otherwise: servers may refuse a bare commit.
    if (!wanted.repairs) wanted.package.revision = std::move(commit);
    auto fetched = fetch(wanted);
    if (!fetched) return std::move(fetched).error();
    package = std::move(*fetched);
  }
  if (const auto size = archive::tree_size(package->files)) package->bytes = size->bytes;
  return package;
}

// Whether the commit of a source is needed before it is fetched: it may be here already.
bool PackageAcquirer::learns_commit(const ResolvedPackage& wanted) const {
  if (!wanted.version.empty() || !wanted.revision.empty() || !wanted.address) return false;
  if (fetch::fetch_method(wanted.address->package) != "git") return false;
  if (upgrade_) return true;
  const auto has_label = [&](const auto& each) { return each.second.label == wanted.label; };
  return !from_.layers.empty() && std::ranges::none_of(from_.before.packages, has_label);
}

// Failing leaves it unknown: fetching then says why.
void PackageAcquirer::learn_commit(ResolvedPackage& wanted) {
  const bool is_remote = !is_of_this_machine(*wanted.address);
  if (is_remote && from_.layers.refuses_to_fetch(wanted.label)) {
    const std::string ref = fetch::argument_of(wanted.address->package, "ref");
    if (fetch::is_object_name(ref)) wanted.revision = ref;
    return;
  }
  {
    const std::lock_guard lock(hook_mutex_);
    if (!from_.store.open(from_.stop)) return;
  }
  const auto commit = from_.fetcher.resolve({.source = {wanted.address->package},
                                             .into = from_.store.temporary_path(),
                                             .untrusted = wanted.untrusted});
  if (commit && *commit) wanted.revision = **commit;
}

std::optional<Refusal> PackageAcquirer::refuses_to_fetch(const ResolvedPackage& wanted) const {
  if (wanted.address && is_of_this_machine(*wanted.address)) return std::nullopt;
  const auto why = from_.layers.refuses_to_fetch(wanted.label);
  if (!why) return std::nullopt;
  const std::string& state = wanted.version.empty() ? wanted.revision : wanted.version;
  const std::string name = fmt::format("{}{}{}", wanted.label, state.empty() ? "" : " ", state);
  return Refusal{"Failed to download module",
                 fmt::format("Could not download module package {}: {}.", name, *why), name};
}

// A package in .terraform/packages. A damaged one is fetched again, in the state in which it was.
std::unique_ptr<Package> PackageAcquirer::installed(Acquisition& wanted) const {
  ResolvedPackage& meant = wanted.package;
  // A version of a registry stays what it is, anything else may be newer elsewhere.
  if (upgrade_ && meant.version.empty() && meant.revision.empty()) return nullptr;
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
  if (from_.layers.empty()) return nullptr;
  PackageKey key{package_origin(wanted.label)};
  if (!wanted.revision.empty()) {
    key.state = wanted.revision;
  } else if (!wanted.version.empty()) {
    key.version = wanted.version;
  } else if (wanted.lock != nullptr) {
    key.state = first_hash(*wanted.lock);
  }
  const bool is_known = !key.version.empty() || !key.state.empty();
  auto found = is_known ? from_.layers.find(wanted.label, key) : from_.layers.latest(wanted.label);
  if (!found || PackageResolver::contradicts_lock(wanted, found->package.record)) return nullptr;
  auto package = std::make_unique<Package>();
  package->record = std::move(found->package.record);
  package->record.label = wanted.label;
  package->record.version = wanted.version;
  package->name = package_name(wanted.label, package->record.hash);
  package->files = std::move(found->package.path);
  package->cached = found->is_linkable;
  package->owned = !found->is_linkable;
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
  if (!fetched) {
    if (meant.lock == nullptr || !fetch::is_missing_revision(fetched.error())) {
      return refused(fetched.error().what);
    }
    return Refusal{
        "Locked commit does not exist",
        fmt::format("{} is locked at the commit {} in {}, which its repository no longer has: its "
                    "history was rewritten, or a branch or tag was removed. If another machine "
                    "still has the package in a module cache, take it from there (TF_MODULE_CACHE_"
                    "DIR). To accept the current content, run \"tofu init -upgrade\", which "
                    "updates the lock.",
                    meant.label, meant.revision, kLockFile)};
  }
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
