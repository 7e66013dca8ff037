#include "install/provider_installer.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <utility>

#include "addrs/constraints_text.h"
#include "archive/tree_copy.h"
#include "base/file_lock.h"
#include "install/provider_versions.h"
#include "install/workers.h"

namespace tofu::install {

namespace {

using EventKind = ProviderEvent::Kind;
using ProblemKind = MethodProblem::Kind;

// Installing is mostly waiting for others.
constexpr std::size_t kSideBySide = 16;

// The hashes in the lock for the package of this version, of known kinds.
std::vector<std::string> known_hashes(const ProviderLock* lock) {
  std::vector<std::string> known;
  if (lock == nullptr) return known;
  std::ranges::copy_if(lock->hashes, std::back_inserter(known), [](const std::string& hash) {
    return hash.starts_with("h1:") || hash.starts_with("zh:");
  });
  return known;
}

Refusal cannot_find(const addrs::Provider& provider, const MethodProblem& problem) {
  std::string detail = fmt::format("The versions of the provider {} could not be determined: {}.",
                                   provider.for_display(), problem.what);
  if (problem.kind == ProblemKind::NotKnown) {
    detail += fmt::format(
        " A module may mean another provider: name its source in required_providers of each "
        "module that uses it. \"tofu providers\" lists the modules that need {}.",
        provider.for_display());
  }
  return {"Failed to query available provider packages", std::move(detail)};
}

Refusal cannot_install(const addrs::Provider& provider, const std::string& version,
                       std::string_view why) {
  return {"Failed to install provider", fmt::format("The provider {} {} cannot be installed: {}.",
                                                    provider.for_display(), version, why)};
}

}  // namespace

void ProviderInstaller::tell(const ProviderEvent& event) {
  const std::lock_guard lock(hook_mutex_);
  hooks_.event(event);
}

diag::Checked<InstalledProviders> ProviderInstaller::install(
    const config::ProviderRequirements& needed, const LockFile& lock, diag::Diagnostics& diags) {
  std::vector<Job> jobs;
  for (const auto& [provider, constraints] : needed) {
    const auto locked = lock.providers.find(provider.to_string());
    jobs.push_back({.provider = provider,
                    .constraints = constraints,
                    .lock = locked == lock.providers.end() ? nullptr : &locked->second});
  }
  {
    Workers workers(kSideBySide);
    for (Job& job : jobs) {
      tell({.kind =
                job.lock != nullptr && !settings_.upgrade ? EventKind::Reusing : EventKind::Finding,
            .provider = job.provider,
            .constraints = addrs::constraints_text(job.constraints)});
      workers.add([this, &job] { select(job); });
    }
    workers.wait();
    for (Job& job : jobs) {
      if (job.selected && !stop_.stop_requested()) workers.add([this, &job] { ensure(job); });
    }
    workers.wait();
  }
  InstalledProviders installed;
  const std::size_t errors = diags.error_count();
  if (stop_.stop_requested()) {
    diags.error("Installing providers was interrupted")
        .detail(
            "Providers installed before that stay installed. Run the command again to continue.");
  }
  for (Job& job : jobs) {
    if (!job.warnings.empty()) {
      diags.warning("Additional provider information from registry")
          .detail(fmt::format("About {}: {}", job.provider.for_display(),
                              fmt::join(job.warnings, " ")));
    }
    if (job.refusal && !stop_.stop_requested())
      diags.error(job.refusal->summary).detail(job.refusal->detail);
    if (job.next) installed.locks.emplace(job.provider, std::move(*job.next));
    if (job.is_incomplete) installed.incomplete.push_back(job.provider);
    installed.any_signed = installed.any_signed || job.is_signed;
  }
  if (diags.error_count() != errors) return std::nullopt;
  return installed;
}

void ProviderInstaller::select(Job& job) {
  const std::string name = job.provider.for_display();
  const bool is_locked = job.lock != nullptr && !settings_.upgrade;
  const auto locked =
      is_locked ? addrs::Version::parse(job.lock->version) : base::Error{"not locked"};
  if (is_locked && !locked) {
    job.refusal = cannot_install(job.provider, job.lock->version, locked.error().what);
    return;
  }
  if (is_locked && !allows_provider(job.constraints, *locked)) {
    job.refusal = Refusal{
        "Locked provider does not meet its constraints",
        fmt::format("{} is locked at {} in {}, but the configuration asks for {}. Run \"tofu init "
                    "-upgrade\" to select another version.",
                    name, job.lock->version, kLockFile, addrs::constraints_text(job.constraints))};
    return;
  }
  // A cached version needs no request, even if it was withdrawn meanwhile.
  const bool is_cached =
      is_locked && settings_.cache && settings_.cache->find(job.provider, job.lock->version);
  if (is_cached || (is_locked && settings_.offline &&
                    settings_.directory.find(job.provider, job.lock->version))) {
    job.selected = *locked;
    return;
  }
  auto offered = method_.versions(job.provider);
  if (!offered) {
    job.refusal = cannot_find(job.provider, offered.error());
    return;
  }
  job.warnings = std::move(offered->warnings);
  if (is_locked) {
    if (std::ranges::find(offered->versions, *locked) != offered->versions.end()) {
      job.selected = *locked;
      return;
    }
    job.refusal =
        Refusal{"Locked provider version is not available",
                fmt::format("{} {} is locked in {}, but is no longer in {}. Run \"tofu init "
                            "-upgrade\" to select another version.",
                            name, job.lock->version, kLockFile, method_.for_display(job.provider))};
    return;
  }
  job.selected = newest_allowed(offered->versions, job.constraints);
  if (job.selected) return;
  job.refusal =
      Refusal{"No provider version meets the constraints",
              fmt::format("No version of {} in {} meets {}. Check the constraints in "
                          "required_providers of all modules; \"tofu providers\" lists them.",
                          name, method_.for_display(job.provider),
                          job.constraints.empty() ? "the conditions for a release"
                                                  : addrs::constraints_text(job.constraints))};
}

std::vector<std::string> ProviderInstaller::allowed_hashes(const Job& job) const {
  // Another version has other hashes.
  if (job.lock == nullptr || job.lock->version != job.selected->to_string()) return {};
  return known_hashes(job.lock);
}

void ProviderInstaller::ensure(Job& job) {
  const std::string version = job.selected->to_string();
  const auto allowed = allowed_hashes(job);
  // A package in the working directory that the lock allows is left alone.
  if (const auto there = settings_.directory.find(job.provider, version)) {
    const auto hash = hash_package(*there);
    if (hash && std::ranges::find(allowed, *hash) != allowed.end()) {
      tell({.kind = EventKind::AlreadyInstalled, .provider = job.provider, .version = version});
      job.next = *job.lock;
      job.next->constraints = addrs::constraints_text(job.constraints);
      return;
    }
  }
  if (!ensure_in(job, settings_.cache ? *settings_.cache : settings_.directory)) return;
  if (settings_.cache) link_from_cache(job);
}

void ProviderInstaller::link_from_cache(Job& job) {
  const std::string version = job.selected->to_string();
  tell({.kind = EventKind::FromCache, .provider = job.provider, .version = version});
  const std::string place = settings_.directory.package_path(job.provider, version);
  const std::string cached = settings_.cache->package_path(job.provider, version);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(place).parent_path(), failed);
  const auto lock = base::FileLock::take(place + ".lock", stop_);
  auto linked = lock ? link_package(cached, place, place + ".new") : lock.error();
  if (linked) return;
  job.next = std::nullopt;
  job.refusal =
      Refusal{"Failed to install provider from the cache",
              fmt::format("Linking {} to {} failed: {}.", place, cached, linked.error().what)};
}

bool ProviderInstaller::ensure_in(Job& job, const ProviderDirectory& directory) {
  const std::string version = job.selected->to_string();
  const bool in_cache = settings_.cache && &directory == &*settings_.cache;
  const auto refuse = [&](std::string_view why) {
    job.refusal = cannot_install(job.provider, version, why);
    return false;
  };
  const auto allowed = allowed_hashes(job);
  const auto is_there = [&] {
    const auto there = directory.find(job.provider, version);
    if (!there || allowed.empty()) return false;
    const auto hash = hash_package(*there);
    if (!hash || std::ranges::find(allowed, *hash) == allowed.end()) return false;
    tell({.kind = EventKind::AlreadyInstalled,
          .provider = job.provider,
          .version = version,
          .in_cache = in_cache});
    job.next = *job.lock;
    job.next->constraints = addrs::constraints_text(job.constraints);
    return true;
  };
  if (in_cache && is_there()) return true;
  const auto offer = method_.package(job.provider, *job.selected, directory.platform());
  if (!offer) {
    if (offer.error().kind != ProblemKind::NoPackage) return refuse(offer.error().what);
    return refuse(fmt::format("it has no package for {}{}{}", directory.platform().to_string(),
                              offer.error().what.empty() ? "" : ": ", offer.error().what));
  }
  tell({.kind = EventKind::Installing,
        .provider = job.provider,
        .version = version,
        .in_cache = in_cache});
  const auto fetched = fetch(job, directory, *offer);
  if (!fetched) return refuse(fetched.error().what);
  take_hashes(job, *fetched);
  tell({.kind = EventKind::Installed,
        .provider = job.provider,
        .version = version,
        .in_cache = in_cache,
        .fetched = &*fetched});
  return true;
}

base::Result<FetchedProvider> ProviderInstaller::fetch(Job& job, const ProviderDirectory& directory,
                                                       const PackageOffer& offer) {
  const std::string version = job.selected->to_string();
  const bool in_cache = settings_.cache && &directory == &*settings_.cache;
  const std::string place = directory.package_path(job.provider, version);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(place).parent_path(), failed);
  if (failed) return base::Error{fmt::format("making {} failed: {}", place, failed.message())};
  const auto lock = base::FileLock::take(place + ".lock", stop_, [&] {
    tell(
        {.kind = EventKind::WaitingForLock, .provider = job.provider, .version = directory.path()});
  });
  if (!lock) return lock.error();
  const std::vector<std::string> allowed =
      settings_.ignores_locked_hashes ? std::vector<std::string>() : allowed_hashes(job);
  // Another process may have brought it while we waited.
  if (const auto there = directory.find(job.provider, version)) {
    const bool any_is_good = in_cache && settings_.cache_may_break_lock && allowed.empty();
    const auto hash = any_is_good || !allowed.empty()
                          ? hash_package(*there)
                          : base::Result<std::string>(base::Error{"nothing to compare with"});
    const bool is_good = hash && find_executable(*there, job.provider).ok() &&
                         (any_is_good || std::ranges::find(allowed, *hash) != allowed.end());
    if (is_good) {
      return FetchedProvider{
          .hash = *hash,
          .verified = {*hash},
          .how = any_is_good ? Authenticity::Unauthenticated : Authenticity::VerifiedChecksum};
    }
  }
  return fetcher_.fetch({.provider = job.provider,
                         .version = version,
                         .offer = offer,
                         .allowed = allowed,
                         .into = directory,
                         .replaces = !in_cache,
                         .progress = [&](std::uint64_t bytes, std::optional<std::uint64_t> size) {
                           const std::lock_guard held(hook_mutex_);
                           hooks_.progress(job.provider, bytes, size);
                         }});
}

void ProviderInstaller::take_hashes(Job& job, const FetchedProvider& fetched) const {
  const std::vector<std::string> before = allowed_hashes(job);
  std::set<std::string> local(fetched.verified.begin(), fetched.verified.end());
  local.insert(fetched.hash);
  std::set<std::string> all = local;
  all.insert(before.begin(), before.end());
  all.insert(fetched.vouched.begin(), fetched.vouched.end());
  job.is_incomplete =
      fetched.vouched.empty() && (before.empty() || std::ranges::equal(before, local));
  job.is_signed = fetched.how == Authenticity::Signed;
  job.next = ProviderLock{.version = job.selected->to_string(),
                          .constraints = addrs::constraints_text(job.constraints),
                          .hashes = {all.begin(), all.end()}};
}

}  // namespace tofu::install
