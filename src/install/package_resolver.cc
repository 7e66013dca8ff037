#include "install/package_resolver.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>

#include "base/overloaded.h"
#include "fetch/source_query.h"

namespace tofu::install {

namespace {

constexpr std::string_view kUpgradeMoves =
    "To accept the current content, run \"tofu init -upgrade\", which updates the lock.";

std::string constraints_text(const std::optional<addrs::Constraints>& constraints) {
  return constraints ? constraints->to_string() : "";
}

}  // namespace

std::string ResolvedPackage::key() const {
  const bool is_refused = untrusted && address && is_of_this_machine(*address);
  return fmt::format("{}\n{}\n{}\n{}", label, version, revision, is_refused);
}

std::string request_key(const PackageRequest& request) {
  const bool is_refused = request.untrusted && is_of_this_machine(request.source);
  return fmt::format("{}\n{}\n{}", package_label(request.source), constraints_text(request.version),
                     is_refused);
}

std::string first_hash(const ModuleLock& lock) {
  for (const std::string& hash : lock.hashes) {
    if (hash.starts_with("h1:")) return hash;
  }
  return {};
}

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
      base::Overloaded{
          [](const addrs::LocalSource& local) { return local.path; },
          [](const addrs::RegistrySource& registry) { return registry.package(); },
          [](const addrs::RemoteSource& remote) { return fetch::without_secrets(remote.package); }},
      source);
}

bool selects(const std::optional<addrs::Constraints>& constraints,
             const addrs::Version& candidate) {
  if (!candidate.prerelease().empty()) {
    if (!constraints || constraints->all().size() != 1) return false;
    const addrs::Constraint& only = constraints->all().front();
    return only.op == addrs::ConstraintOp::Equal && only.version == candidate;
  }
  return !constraints || constraints->allows(candidate);
}

std::string requested_ref(std::string_view label) { return fetch::argument_of(label, "ref"); }

base::Result<ResolvedPackage, Refusal> PackageResolver::resolve(
    const PackageRequest& request) const {
  ResolvedPackage wanted{.label = package_label(request.source), .asked_by = request.asked_by};
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&request.source)) {
    wanted.registry = *registry;
    wanted.untrusted = true;
    return resolve_version(std::move(wanted), request);
  }
  wanted.address = std::get<addrs::RemoteSource>(request.source);
  wanted.untrusted = request.untrusted;
  if (request.version && !request.version->empty()) {
    return resolve_version(std::move(wanted), request);
  }
  if (upgrade_) return wanted;
  for (const ModuleLock* lock : locked_.find_modules(wanted.label)) {
    if (!lock->commit.empty()) continue;  // of a call with a version
    wanted.lock = lock;
    wanted.revision = lock->version;
    break;
  }
  return wanted;
}

base::Result<ResolvedPackage, Refusal> PackageResolver::resolve_version(
    ResolvedPackage wanted, const PackageRequest& request) const {
  if (upgrade_) return newest(std::move(wanted), request);
  std::string versions;
  for (const ModuleLock* lock : locked_.find_modules(wanted.label)) {
    if (!wanted.registry && lock->commit.empty()) continue;  // of a call without a version
    const auto version = addrs::Version::parse(lock->version);
    if (version && selects(request.version, *version)) wanted.lock = lock;  // the newest
    versions += (versions.empty() ? "" : ", ") + lock->version;
  }
  if (versions.empty()) return newest(std::move(wanted), request);
  if (wanted.lock == nullptr) {
    return Refusal{
        "Locked version does not meet its constraint",
        fmt::format("{} is locked at {} in {}, but {} asks for {}. {}", wanted.label, versions,
                    kLockFile, request.asked_by, constraints_text(request.version), kUpgradeMoves)};
  }
  wanted.version = wanted.lock->version;
  wanted.revision = wanted.lock->commit;
  return wanted;
}

base::Result<std::vector<PackageResolver::Offer>, Refusal> PackageResolver::offered_at_source(
    const ResolvedPackage& wanted) const {
  const auto failed = [&](std::string_view summary, const base::Error& error) {
    return Refusal{
        std::string(summary),
        fmt::format("The versions of {} could not be determined: {}.", wanted.label, error.what)};
  };
  std::vector<Offer> offers;
  if (wanted.registry) {
    const auto versions = from_.registry.versions(*wanted.registry);
    if (!versions) return failed("Error accessing remote module registry", versions.error());
    for (const addrs::Version& each : *versions) offers.push_back({each});
    return offers;
  }
  constexpr std::string_view kUnread = "Error reading the tags of a module repository";
  if (auto opened = from_.store.open(from_.stop); !opened) return failed(kUnread, opened.error());
  const auto tags = from_.fetcher.tags({.source = {wanted.address->package},
                                        .into = from_.store.temporary_path(),
                                        .untrusted = wanted.untrusted});
  if (!tags) return failed(kUnread, tags.error());
  for (const fetch::GitReference& tag : *tags) {
    const std::string_view name = tag.name;
    auto version = addrs::Version::parse(name.starts_with('v') ? name.substr(1) : name);
    if (version) offers.push_back({std::move(*version), tag.commit});
  }
  return offers;
}

// Those of mirrors and of the source, the newest first.
base::Result<std::vector<PackageResolver::Offer>, Refusal> PackageResolver::offered(
    const ResolvedPackage& wanted) const {
  std::vector<Offer> offers;
  const bool is_local = wanted.address && is_of_this_machine(*wanted.address);
  const auto why = is_local ? std::nullopt : from_.layers.refuses_to_fetch(wanted.label);
  if (!why) {
    auto at_source = offered_at_source(wanted);
    if (!at_source) return at_source.error();
    offers = std::move(*at_source);
  }
  for (const std::string& text : from_.layers.versions(wanted.label)) {
    if (auto version = addrs::Version::parse(text)) offers.push_back({std::move(*version)});
  }
  if (why && offers.empty()) {
    return Refusal{
        "Failed to download module",
        fmt::format("The versions of {} could not be determined: {}.", wanted.label, *why),
        wanted.label};
  }
  // Of equal versions the one of the source comes first: its commit is known.
  std::ranges::stable_sort(offers, std::greater<>(), &Offer::version);
  const auto same = std::ranges::unique(offers, {}, &Offer::version);
  offers.erase(same.begin(), same.end());
  return offers;
}

base::Result<ResolvedPackage, Refusal> PackageResolver::newest(
    ResolvedPackage wanted, const PackageRequest& request) const {
  const auto offered = this->offered(wanted);
  if (!offered) return offered.error();
  const auto chosen = std::ranges::find_if(
      *offered, [&](const Offer& one) { return selects(request.version, one.version); });
  if (chosen != offered->end()) {
    wanted.version = chosen->version.to_string();
    wanted.revision = chosen->commit;
    return wanted;
  }
  if (offered->empty()) {
    return Refusal{
        "Module has no versions",
        wanted.registry
            ? fmt::format("The registry offers no version of {}.", wanted.label)
            : fmt::format("{} has no tag that is a version, such as v1.2.0.", wanted.label)};
  }
  std::string detail =
      fmt::format("No version of {} meets {}. The newest is {}.", wanted.label,
                  constraints_text(request.version), offered->front().version.to_string());
  // The constraint may well allow one, but only its own name selects it.
  const auto prerelease = std::ranges::find_if(*offered, [&](const Offer& one) {
    return !one.version.prerelease().empty() && request.version &&
           request.version->allows(one.version);
  });
  if (prerelease != offered->end()) {
    detail += fmt::format(" Prereleases are selected by their exact version only: write \"{}\".",
                          prerelease->version.to_string());
  }
  return Refusal{"Unresolvable module version constraint", std::move(detail)};
}

std::optional<Refusal> PackageResolver::contradicts_lock(const ResolvedPackage& wanted,
                                                         const PackageRecord& record) {
  if (wanted.lock == nullptr || wanted.lock->hashes.empty() || wanted.lock->has_hash(record.hash)) {
    return std::nullopt;
  }
  if (!record.archive_hash.empty() && wanted.lock->has_hash(record.archive_hash) &&
      first_hash(*wanted.lock).empty()) {
    return std::nullopt;
  }
  return Refusal{"Package differs from the lock",
                 fmt::format("{} has the hash {}, but {} has locked {}. It was changed "
                             "after it was locked. {}",
                             wanted.label, record.hash, kLockFile,
                             fmt::join(wanted.lock->hashes, ", "), kUpgradeMoves)};
}

bool PackageResolver::is_locked(const addrs::ModuleSource& source) const {
  return !locked_.find_modules(package_label(source)).empty();
}

std::optional<Refusal> PackageResolver::is_missing_in_lock(const PackageRecord& record) const {
  const std::string& state = record.version.empty() ? record.revision : record.version;
  for (const ModuleLock* lock : locked_.find_modules(record.label)) {
    const bool is_this = lock->has_hash(record.hash) || lock->has_hash(record.archive_hash);
    if (lock->version == state && is_this) return std::nullopt;
  }
  return Refusal{"Dependency lock file would change",
                 fmt::format("{} does not hold {}{}{}. It cannot be changed because of "
                             "-lockfile=readonly.",
                             kLockFile, record.label, state.empty() ? "" : " ", state)};
}

}  // namespace tofu::install
