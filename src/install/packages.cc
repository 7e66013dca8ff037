#include "install/packages.h"

#include <utility>

#include "install/package_metadata_file.h"

namespace tofu::install {

namespace {

// Fetching is mostly waiting for others.
constexpr std::size_t kFetchSideBySide = 8;

}  // namespace

Packages::Packages(PackageSettings settings, Registry& registry, PackageFetcher& fetcher,
                   const LockFile& locked, const PackageRecords& before, PackageHooks hooks,
                   const std::stop_token& stop)
    : settings_(std::move(settings)),
      stop_(stop),
      store_(settings_.data_directory),
      layers_(settings_.layers, stop),
      resolver_({registry, fetcher, layers_, store_, stop}, locked, settings_.upgrade),
      acquirer_({registry, fetcher, before, store_, layers_, stop}, settings_.upgrade,
                std::move(hooks)),
      placer_(store_, settings_.data_directory, layers_.cache(), stop),
      fetchers_(kFetchSideBySide) {}

Packages::~Packages() = default;

std::vector<const Package*> Packages::all() const {
  std::vector<const Package*> out;
  for (const auto& package : packages_) out.push_back(package.get());
  return out;
}

void Packages::expect(const PackageRequest& request) {
  const std::string key = request_key(request);
  const std::lock_guard lock(mutex_);
  if (asked_.contains(key)) return;
  // An exception in the task is thrown again where its result is read.
  const auto task = std::make_shared<std::packaged_task<Outcome()>>(
      [this, request] { return resolve_and_acquire(request); });
  asked_.emplace(key, task->get_future().share());
  fetchers_.add([task] { (*task)(); });
}

Packages::Outcome Packages::get(const PackageRequest& request) {
  expect(request);
  const std::string key = request_key(request);
  std::shared_future<Outcome> outcome;
  {
    const std::lock_guard lock(mutex_);
    outcome = asked_.find(key)->second;
  }
  return outcome.get();
}

Packages::Outcome Packages::resolve_and_acquire(const PackageRequest& request) {
  auto wanted = resolver_.resolve(request);
  if (!wanted) return std::move(wanted).error();
  // Two requests may mean the same package: the first acquires it, the second waits.
  std::packaged_task<Outcome()> task([&] { return acquire(std::move(*wanted)); });
  std::shared_future<Outcome> outcome;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto added = resolved_.try_emplace(wanted->key());
    if (added.second) added.first->second = task.get_future().share();
    outcome = added.first->second;
    is_first = added.second;
  }
  if (is_first) task();
  return outcome.get();
}

Packages::Outcome Packages::acquire(ResolvedPackage wanted) {
  auto package = acquirer_.acquire(std::move(wanted));
  if (!package) return std::move(package).error();
  const std::lock_guard lock(mutex_);
  // Two sources may have the same content and name; the directory is then one.
  packages_.push_back(std::move(*package));
  return packages_.back().get();
}

const config::PackageMetadata* Packages::metadata_of(Package& package, diag::SourceMap& sources,
                                                     diag::Diagnostics& diags) {
  if (!package.metadata_read) {
    package.metadata = read_package_metadata(package.files, sources, diags);
    package.metadata_read = true;
  }
  return package.metadata ? &*package.metadata : nullptr;
}

std::optional<Refusal> Packages::refuses_to_lock(const Package& package) const {
  if (!settings_.lock_is_readonly) return std::nullopt;
  return resolver_.is_missing_in_lock(package.record);
}

}  // namespace tofu::install
