#include "install/package_resolver.h"

#include <algorithm>
#include <fmt/format.h>
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

base::Result<ResolvedPackage, Refusal> PackageResolver::resolve(
    const PackageRequest& request) const {
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&request.source)) {
    return resolve_registry(*registry, request);
  }
  const auto& remote = std::get<addrs::RemoteSource>(request.source);
  ResolvedPackage wanted{.label = package_label(request.source),
                         .address = remote,
                         .untrusted = request.untrusted,
                         .asked_by = request.asked_by};
  const auto locks = locked_.find_modules(wanted.label);
  if (!upgrade_ && !locks.empty()) {
    wanted.lock = locks.front();
    wanted.revision = wanted.lock->version;
  }
  return wanted;
}

base::Result<ResolvedPackage, Refusal> PackageResolver::resolve_registry(
    const addrs::RegistrySource& source, const PackageRequest& request) const {
  ResolvedPackage wanted{.label = source.package(),
                         .registry = source,
                         .untrusted = true,
                         .asked_by = request.asked_by};
  const auto locks = locked_.find_modules(wanted.label);
  if (!upgrade_ && !locks.empty()) {
    std::string versions;
    for (const ModuleLock* lock : locks) {
      const auto version = addrs::Version::parse(lock->version);
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
  return newest(std::move(wanted), request);
}

base::Result<ResolvedPackage, Refusal> PackageResolver::newest(
    ResolvedPackage wanted, const PackageRequest& request) const {
  const auto offered = registry_.versions(*wanted.registry);
  if (!offered) {
    return Refusal{"Error accessing remote module registry",
                   fmt::format("The versions of {} could not be determined: {}.", wanted.label,
                               offered.error().what)};
  }
  const auto chosen = std::ranges::find_if(
      *offered, [&](const addrs::Version& one) { return selects(request.version, one); });
  if (chosen != offered->end()) {
    wanted.version = chosen->to_string();
    return wanted;
  }
  if (offered->empty()) {
    return Refusal{"Module has no versions",
                   fmt::format("The registry offers no version of {}.", wanted.label)};
  }
  std::string detail = fmt::format("No version of {} meets {}. The newest is {}.", wanted.label,
                                   constraints_text(request.version), offered->front().to_string());
  // The constraint may well allow one, but only its own name selects it.
  const auto prerelease = std::ranges::find_if(*offered, [&](const addrs::Version& one) {
    return !one.prerelease().empty() && request.version && request.version->allows(one);
  });
  if (prerelease != offered->end()) {
    detail += fmt::format(" Prereleases are selected by their exact version only: write \"{}\".",
                          prerelease->to_string());
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
