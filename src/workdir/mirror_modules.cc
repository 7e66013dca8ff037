#include "workdir/mirror_modules.h"

#include <fmt/format.h>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "addrs/module_source.h"
#include "addrs/version.h"
#include "archive/tree_copy.h"
#include "install/lock_file.h"
#include "install/package_cache.h"
#include "install/package_records.h"
#include "install/packages.h"
#include "workdir/module_clients.h"
#include "workdir/workspace.h"

namespace tofu::workdir {

namespace {

const std::string& state_of(const install::PackageRecord& package) {
  return package.version.empty() ? package.revision : package.version;
}

// The lock file, and what it says of packages that are not locked because they may change
// themselves: their sources are asked for the state that is installed.
install::LockFile lock_of_all(const install::LockFile& lock,
                              const std::vector<install::PackageUse>& packages) {
  install::LockFile all = lock;
  for (const install::PackageUse& use : packages) {
    if (use.is_shared) continue;
    install::ModuleLock one{.label = use.package.label, .version = state_of(use.package)};
    if (!use.package.version.empty()) one.commit = use.package.revision;
    if (!use.package.hash.empty()) one.hashes.push_back(use.package.hash);
    all.set_module(std::move(one));
  }
  return all;
}

// The request that means exactly this package.
std::optional<install::PackageRequest> request_of(const install::PackageRecord& package) {
  auto source = addrs::parse_module_source(package.label);
  if (!source) return std::nullopt;
  install::PackageRequest request{.source = std::move(*source), .asked_by = "the mirror"};
  if (package.version.empty()) return request;
  auto constraints = addrs::Constraints::parse(package.version);
  if (!constraints) return std::nullopt;
  request.version = std::move(*constraints);
  return request;
}

class Mirroring {
 public:
  Mirroring(const Configuration& loaded, const std::string& directory, cli::Progress& progress,
            const LoadContext& context, cli::Cancellation& cancellation, diag::Diagnostics& diags)
      : loaded_(loaded),
        progress_(progress),
        context_(context),
        stop_(cancellation.token()),
        cache_(directory, stop_),
        diags_(diags) {}

  void run(const install::LockFile& lock);

 private:
  void add(const install::PackageRecord& package, const std::string& files);
  void add_copies(const install::LockFile& lock);
  void fail(const install::PackageRecord& package, std::string_view why) {
    diags_.error("Cannot mirror a module package")
        .detail(fmt::format("{} {}: {}.", package.label, state_of(package), why));
  }

  const Configuration& loaded_;
  cli::Progress& progress_;
  LoadContext context_;
  std::stop_token stop_;
  install::PackageCache cache_;
  diag::Diagnostics& diags_;
  std::set<install::PackageRecord> added_;
};

void Mirroring::add(const install::PackageRecord& package, const std::string& files) {
  if (!added_.insert(package).second) return;
  progress_.item(fmt::format("Mirroring {}{}{}", package.label,
                             state_of(package).empty() ? "" : " ", state_of(package)));
  if (const auto added = cache_.add(package, files); !added) {
    return fail(package, added.error().what);
  }
  if (const auto published = cache_.publish(package); !published) {
    fail(package, published.error().what);
  }
}

// The copies of calls may have been changed by their modules, so their packages are acquired anew.
void Mirroring::add_copies(const install::LockFile& lock) {
  ModuleClients clients(context_.settings, stop_);
  const install::LockFile all = lock_of_all(lock, loaded_.packages);
  const install::PackageRecords before;
  install::Packages packages({.data_directory = data_directory(context_.environment()),
                              .layers = package_layers(context_.settings, false, false)},
                             clients.registry, clients.fetcher, all, before, {}, stop_);
  for (const install::PackageUse& use : loaded_.packages) {
    if (use.is_shared || added_.contains(use.package)) continue;
    const auto request = request_of(use.package);
    if (!request) {
      fail(use.package, "its source cannot be read");
      continue;
    }
    const auto package = packages.get(*request);
    if (package) {
      add((*package)->record, (*package)->files);
    } else {
      diags_.error(package.error().summary).detail(package.error().detail);
    }
  }
}

void Mirroring::run(const install::LockFile& lock) {
  bool has_copies = false;
  for (const install::PackageUse& use : loaded_.packages) {
    if (use.is_shared) add(use.package, use.directory);
    has_copies = has_copies || !use.is_shared;
  }
  if (has_copies) add_copies(lock);
}

}  // namespace

base::Result<void> remove_packages(const std::string& directory) {
  return archive::remove_tree(directory);
}

diag::Checked<void> mirror_modules(const Configuration& loaded, const std::string& directory,
                                   cli::Progress& progress, const LoadContext& context,
                                   cli::Cancellation& cancellation, diag::Diagnostics& diags) {
  const std::size_t errors = diags.error_count();
  const auto lock =
      install::LockFile::read(std::string(install::kLockFile), context.sources, diags);
  if (!lock) return false;
  const auto listening = cancellation.listen();
  Mirroring(loaded, directory, progress, context, cancellation, diags).run(*lock);
  return diags.error_count() == errors;
}

}  // namespace tofu::workdir
