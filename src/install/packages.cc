#include "install/packages.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/overloaded.h"
#include "install/package_metadata_file.h"
#include "transport/source_query.h"
#include "transport/tree_copy.h"
#include "transport/tree_hash.h"

namespace tofu::install {

namespace {

// Fetching is mostly waiting for others. Copies wait for one disk, and more of them at
// once only wait for each other.
constexpr std::size_t kFetchSideBySide = 8;
constexpr std::size_t kCopySideBySide = 2;

constexpr std::string_view kUpgradeMoves =
    "To accept what is there now, run \"tofu init -upgrade\", which moves the lock.";

std::string constraints_text(const std::optional<config::Constraints>& constraints) {
  return constraints ? constraints->to_string() : "";
}

// Equal for requests that have the same answer. Whether a package may be on this
// machine is a matter of who asks.
std::string request_key(const PackageRequest& request) {
  const bool is_refused = request.from_elsewhere && is_of_this_machine(request.source);
  return fmt::format("{}\n{}\n{}", package_label(request.source), constraints_text(request.version),
                     is_refused);
}

std::string first_hash(const ModuleLock& lock) {
  for (const std::string& hash : lock.hashes) {
    if (hash.starts_with("h1:")) return hash;
  }
  return {};
}

}  // namespace

// What a request turned out to mean.
struct Packages::Wanted {
  std::string label;
  std::string version = {};  // of a registry module
  // Where to fetch it. Of a registry module not known before it has to be fetched.
  std::optional<addrs::RemoteSource> address = {};
  std::optional<addrs::RegistrySource> registry = {};
  std::string revision = {};         // the commit it has to be
  const ModuleLock* lock = nullptr;  // what it has to be like
  bool from_elsewhere = false;
  std::string asked_by = {};
  bool repairs = false;  // it was installed and is damaged

  std::string key() const {
    return fmt::format("{}\n{}\n{}\n{}", label, version, revision, is_refused());
  }
  bool is_refused() const { return from_elsewhere && address && is_of_this_machine(*address); }
};

bool is_of_this_machine(const addrs::ModuleSource& source) {
  const auto* remote = std::get_if<addrs::RemoteSource>(&source);
  if (remote == nullptr) return false;
  std::string_view address = remote->package;
  for (const std::string_view method : {"git::", "hg::"}) {
    if (address.starts_with(method)) address.remove_prefix(method.size());
  }
  return address.starts_with("file://");
}

std::string package_label(const addrs::ModuleSource& source) {
  return std::visit(
      base::Overloaded{[](const addrs::LocalSource& local) { return local.path; },
                       [](const addrs::RegistrySource& registry) { return registry.package(); },
                       [](const addrs::RemoteSource& remote) {
                         return transport::without_secrets(remote.package);
                       }},
      source);
}

bool selects(const std::optional<config::Constraints>& constraints,
             const config::Version& candidate) {
  if (!candidate.prerelease().empty()) {
    if (!constraints || constraints->all().size() != 1) return false;
    const config::Constraint& only = constraints->all().front();
    return only.op == config::ConstraintOp::Equal && only.version == candidate;
  }
  return !constraints || constraints->allows(candidate);
}

Packages::Packages(PackageSettings settings, Registry& registry, PackageFetcher& fetcher,
                   const LockFile& locked, const PackageRecords& before, PackageHooks hooks,
                   const std::atomic<bool>& cancelled)
    : settings_(std::move(settings)),
      registry_(registry),
      fetcher_(fetcher),
      locked_(locked),
      before_(before),
      hooks_(std::move(hooks)),
      cancelled_(cancelled),
      store_(settings_.data_directory),
      local_copies_(store_, settings_.data_directory),
      fetchers_(kFetchSideBySide),
      copiers_(kCopySideBySide) {
  if (!settings_.cache_directory.empty()) cache_.emplace(settings_.cache_directory, cancelled_);
}

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
  // Whatever is thrown meanwhile is thrown again by whoever gets it.
  const auto task =
      std::make_shared<std::packaged_task<Outcome()>>([this, request] { return acquire(request); });
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

Packages::Outcome Packages::acquire(const PackageRequest& request) {
  auto wanted = settle(request);
  if (!wanted) return std::move(wanted).error();
  // Two requests that mean the same state: the first gets it, the second waits.
  std::packaged_task<Outcome()> task([&] { return obtain(std::move(*wanted)); });
  std::shared_future<Outcome> outcome;
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    const auto added = states_.try_emplace(wanted->key());
    if (added.second) added.first->second = task.get_future().share();
    outcome = added.first->second;
    is_first = added.second;
  }
  if (is_first) task();
  return outcome.get();
}

base::Result<Packages::Wanted, Refusal> Packages::settle(const PackageRequest& request) {
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&request.source)) {
    return settle_registry(*registry, request);
  }
  const auto& remote = std::get<addrs::RemoteSource>(request.source);
  Wanted wanted{.label = package_label(request.source),
                .address = remote,
                .from_elsewhere = request.from_elsewhere,
                .asked_by = request.asked_by};
  const auto locks = locked_.find_modules(wanted.label);
  if (!settings_.upgrade && !locks.empty()) {
    wanted.lock = locks.front();
    wanted.revision = wanted.lock->version;
  }
  return wanted;
}

base::Result<Packages::Wanted, Refusal> Packages::settle_registry(
    const addrs::RegistrySource& source, const PackageRequest& request) {
  Wanted wanted{.label = source.package(),
                .registry = source,
                .from_elsewhere = true,
                .asked_by = request.asked_by};
  const auto locks = locked_.find_modules(wanted.label);
  if (!settings_.upgrade && !locks.empty()) {
    std::string versions;
    for (const ModuleLock* lock : locks) {
      const auto version = config::Version::parse(lock->version);
      if (version && selects(request.version, *version)) wanted.lock = lock;  // the newest
      versions += (versions.empty() ? "" : ", ") + lock->version;
    }
    if (wanted.lock == nullptr) {
      return Refusal{"Locked version does not meet its constraint",
                     fmt::format("{} is locked at {} in {}, but {} asks for {}. {}", wanted.label,
                                 versions, kLockFile, request.asked_by,
                                 constraints_text(request.version), kUpgradeMoves)};
    }
    wanted.version = wanted.lock->version;
    return wanted;
  }
  const auto offered = registry_.versions(source);
  if (!offered) {
    return Refusal{"Error accessing remote module registry",
                   fmt::format("The versions of {} could not be learnt: {}.", wanted.label,
                               offered.error().what)};
  }
  const auto newest = std::ranges::find_if(
      *offered, [&](const config::Version& one) { return selects(request.version, one); });
  if (newest != offered->end()) {
    wanted.version = newest->to_string();
    return wanted;
  }
  if (offered->empty()) {
    return Refusal{"Module has no versions",
                   fmt::format("The registry offers no version of {}.", wanted.label)};
  }
  std::string detail = fmt::format("No version of {} meets {}. The newest is {}.", wanted.label,
                                   constraints_text(request.version), offered->front().to_string());
  // The constraint may well allow one, but only its own name selects it.
  const auto prerelease = std::ranges::find_if(*offered, [&](const config::Version& one) {
    return !one.prerelease().empty() && request.version && request.version->allows(one);
  });
  if (prerelease != offered->end()) {
    detail += fmt::format(" Prereleases are selected by their exact version only: write \"{}\".",
                          prerelease->to_string());
  }
  return Refusal{"Unresolvable module version constraint", std::move(detail)};
}

std::optional<Refusal> Packages::contradicts_lock(const Wanted& wanted,
                                                  const PackageRecord& record) const {
  if (wanted.lock == nullptr || wanted.lock->hashes.empty() || wanted.lock->has_hash(record.hash)) {
    return std::nullopt;
  }
  if (!record.archive_hash.empty() && wanted.lock->has_hash(record.archive_hash) &&
      first_hash(*wanted.lock).empty()) {
    return std::nullopt;
  }
  return Refusal{"Package differs from the lock",
                 fmt::format("{} has the hash {}, but {} has locked {}. Its author or somebody on "
                             "the way has changed it. {}",
                             wanted.label, record.hash, kLockFile,
                             fmt::join(wanted.lock->hashes, ", "), kUpgradeMoves)};
}

// What stands in .terraform/packages already. A damaged one is fetched again, in the
// state in which it was.
std::unique_ptr<Package> Packages::installed(Wanted& wanted) {
  // A version of a registry stays what it is, anything else may be newer elsewhere.
  if (settings_.upgrade && wanted.version.empty()) return nullptr;
  for (const auto& [name, record] : before_.packages) {
    if (record.label != wanted.label || record.version != wanted.version) continue;
    if (!wanted.revision.empty() && record.revision != wanted.revision) continue;
    if (contradicts_lock(wanted, record)) continue;
    const std::string path = store_.package_path(name);
    const auto hash = transport::hash_tree(path);
    if (hash && *hash == record.hash) {
      auto package = std::make_unique<Package>();
      *package = {.name = name, .record = record, .files = path, .in_store = true};
      return package;
    }
    if (const auto kind = base::file_kind(path); kind && *kind != base::FileKind::Missing) {
      wanted.repairs = true;
      if (wanted.revision.empty()) wanted.revision = record.revision;
    }
  }
  return nullptr;
}

std::unique_ptr<Package> Packages::cached(const Wanted& wanted) const {
  if (!cache_) return nullptr;
  std::string state = wanted.revision;
  if (wanted.version.empty() && state.empty() && wanted.lock != nullptr) {
    state = first_hash(*wanted.lock);
  }
  if (wanted.version.empty() && state.empty()) return nullptr;
  const auto found = cache_->find(wanted.label, wanted.version, state);
  if (!found || contradicts_lock(wanted, found->record)) return nullptr;
  auto package = std::make_unique<Package>();
  *package = {.name = package_name(wanted.label, found->record.hash),
              .record = found->record,
              .files = found->path};
  return package;
}

Packages::Outcome Packages::obtain(Wanted wanted) {
  std::unique_ptr<Package> package = installed(wanted);
  if (!package) package = cached(wanted);
  if (!package) {
    auto fetched = fetch(wanted);
    if (!fetched) return std::move(fetched).error();
    package = std::move(*fetched);
  }
  if (const auto size = transport::tree_size(package->files)) package->bytes = size->bytes;
  const std::lock_guard lock(mutex_);
  // Two sources may have the same content and name; the directory is then one.
  packages_.push_back(std::move(package));
  return packages_.back().get();
}

base::Result<std::unique_ptr<Package>, Refusal> Packages::fetch(const Wanted& wanted) {
  const auto refused = [&](std::string_view what) {
    return Refusal{"Failed to download module",
                   fmt::format("Could not download module package {}{}{}: {}.", wanted.label,
                               wanted.version.empty() ? "" : " ", wanted.version, what)};
  };
  std::optional<addrs::RemoteSource> address = wanted.address;
  std::optional<base::Hostname> token_of;
  bool direct = false;
  {
    const std::lock_guard lock(hook_mutex_);
    if (auto opened = store_.open(cancelled_); !opened) return refused(opened.error().what);
    if (wanted.repairs) {
      hooks_.repaired(wanted.label);
    } else {
      hooks_.fetching(wanted.label, wanted.version, wanted.asked_by);
    }
  }
  if (wanted.registry) {
    const auto version = config::Version::parse(wanted.version);
    if (!version) return refused(version.error().what);
    auto location = registry_.location(*wanted.registry, *version);
    if (!location) {
      return Refusal{"Error accessing remote module registry",
                     fmt::format("It could not be learnt where {} {} is: {}.", wanted.label,
                                 wanted.version, location.error().what)};
    }
    address = std::move(location->source);
    direct = location->direct;
    if (location->with_token) token_of = wanted.registry->host;
  }
  auto package = std::make_unique<Package>();
  package->files = store_.temporary_path();
  const auto fetched = fetcher_.fetch({.source = {address->package},
                                       .into = package->files,
                                       .revision = wanted.registry ? "" : wanted.revision,
                                       .from_elsewhere = wanted.from_elsewhere,
                                       .direct = direct,
                                       .token_of = token_of});
  if (!fetched) return refused(fetched.error().what);
  const auto hash = transport::hash_tree(package->files);
  if (!hash) return refused(hash.error().what);
  const auto subdir = find_subdir(package->files, wanted.registry ? address->subdir : "", "");
  if (!subdir) return refused(subdir.error().what);
  package->fetched = true;
  package->record = {.label = wanted.label,
                     .version = wanted.version,
                     .revision = wanted.registry ? "" : fetched->revision,
                     .hash = *hash,
                     .archive_hash = fetched->archive_hash,
                     .subdir = *subdir};
  package->name = package_name(wanted.label, *hash);
  if (auto refusal = contradicts_lock(wanted, package->record)) {
    (void)transport::remove_tree(package->files).ok();  // the next run tries again if it stays
    return std::move(*refusal);
  }
  return package;
}

const config::PackageMetadata* Packages::metadata_of(Package& package, diag::SourceMap& sources,
                                                     diag::Diagnostics& diags) {
  if (!package.metadata_read) {
    package.metadata = read_package_metadata(package.files, sources, diags);
    package.metadata_read = true;
  }
  return package.metadata ? &*package.metadata : nullptr;
}

base::Result<void> Packages::share(Package& package) {
  if (package.in_store) return {};
  if (auto opened = store_.open(cancelled_); !opened) return opened;
  const std::string path = store_.package_path(package.name);
  const auto hash = transport::hash_tree(path);
  if (hash && *hash == package.record.hash) {
    // Another source with the same content was there first.
  } else if (cache_) {
    auto cached = cache_->add(package.record, package.files);
    if (!cached) return cached.error();
    const bool linked = store_.place_link(*cached, path).ok();
    if (!linked) {
      const std::string fresh = store_.temporary_path();
      if (auto copied = transport::copy_tree(*cached, fresh); !copied) return copied;
      if (auto kept = transport::make_read_only(fresh); !kept) return kept;
      if (auto placed = store_.place(fresh, path); !placed) return placed;
    }
  } else {
    std::string fresh = package.files;
    if (package.owned) {
      fresh = store_.temporary_path();
      if (auto copied = transport::copy_tree(package.files, fresh); !copied) return copied;
    }
    if (auto kept = transport::make_read_only(fresh); !kept) return kept;
    if (auto placed = store_.place(fresh, path); !placed) return placed;
  }
  package.files = path;
  package.in_store = true;
  return {};
}

base::Result<void> Packages::link(Package& package, const std::string& entry) {
  if (auto shared = share(package); !shared) return shared;
  if (store_.place_link("../packages/" + package.name, entry)) return {};
  return copy(package, entry);
}

base::Result<void> Packages::copy(Package& package, const std::string& entry) {
  if (auto opened = store_.open(cancelled_); !opened) return opened;
  if (package.fetched && !package.in_store && !package.owned) {
    // The first copy is what was fetched.
    if (auto placed = store_.place(package.files, entry); !placed) return placed;
    package.files = entry;
    package.owned = true;
    return {};
  }
  copiers_.add([this, from = package.files, entry] {
    const std::string fresh = store_.temporary_path();
    auto done = transport::copy_tree(from, fresh);
    if (done) done = store_.place(fresh, entry);
    if (done) return;
    const std::lock_guard lock(copy_mutex_);
    copy_problems_.push_back(
        {fmt::format("copying a package to {}: {}", entry, done.error().what)});
  });
  return {};
}

base::Result<void> Packages::copy_directory(const std::string& from, const std::string& entry) {
  if (auto opened = store_.open(cancelled_); !opened) return opened;
  const std::string fresh = store_.temporary_path();
  if (auto copied = transport::copy_tree(from, fresh); !copied) return copied;
  return store_.place(fresh, entry);
}

base::Result<void> Packages::begin_local_copy(const std::string& path, const std::string& entry) {
  if (auto opened = store_.open(cancelled_); !opened) return opened;
  return local_copies_.begin(path, entry);
}

base::Result<void> Packages::add_to_local_copy(const std::string& path, const std::string& entry,
                                               const std::vector<std::string>& whole) {
  if (auto opened = store_.open(cancelled_); !opened) return opened;
  return local_copies_.add(path, entry, whole);
}

bool Packages::is_locked(const addrs::ModuleSource& source) const {
  return !locked_.find_modules(package_label(source)).empty();
}

std::optional<Refusal> Packages::refuses_to_lock(const Package& package) const {
  if (!settings_.lock_is_readonly) return std::nullopt;
  const PackageRecord& record = package.record;
  const std::string& state = record.version.empty() ? record.revision : record.version;
  for (const ModuleLock* lock : locked_.find_modules(record.label)) {
    const bool is_this = lock->has_hash(record.hash) || lock->has_hash(record.archive_hash);
    if (lock->version == state && is_this) return std::nullopt;
  }
  return Refusal{"Lock file would have to change",
                 fmt::format("{} does not hold {}{}{}. It cannot be changed because of "
                             "-lockfile=readonly.",
                             kLockFile, record.label, state.empty() ? "" : " ", state)};
}

std::vector<base::Error> Packages::finish() {
  copiers_.wait();
  const std::lock_guard lock(copy_mutex_);
  if (store_.is_open()) {
    std::vector<std::string> directories = {store_.packages_directory()};
    if (cache_) directories.push_back(settings_.cache_directory);
    if (auto synced = base::sync_file_systems(directories); !synced) {
      copy_problems_.push_back({"writing packages to disk failed: " + synced.error().what});
    }
  }
  return std::move(copy_problems_);
}

}  // namespace tofu::install
