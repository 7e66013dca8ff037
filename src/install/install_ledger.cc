#include "install/install_ledger.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unistd.h>
#include <utility>

#include "install/module_paths.h"

namespace tofu::install {

InstallLedger::InstallLedger(Manifest manifest, const PackageRecords& before, bool again,
                             Packages& packages, Installed installed)
    : manifest_(std::move(manifest)),
      before_(before),
      again_(again),
      packages_(packages),
      installed_(std::move(installed)) {}

const ModulePlace* InstallLedger::place_of(std::string_view key) const {
  const auto found = places_.find(key);
  return found == places_.end() ? nullptr : &found->second;
}

const ModulePlace& InstallLedger::parent_of(const addrs::ModulePath& module) const {
  addrs::ModulePath above = module;
  above.names.pop_back();
  const auto found = places_.find(manifest_key(above));
  // Modules of tests have paths of their own, but belong to the root module.
  return found == places_.end() ? places_.find("")->second : found->second;
}

config::FoundModule InstallLedger::enter(const config::ModuleRequest& request, ModulePlace place,
                                         CallRecord record, ManifestEntry entry) {
  const std::string key = manifest_key(request.path);
  const ManifestEntry* known = manifest_.find(request.path);
  const bool is_new = again_ || known == nullptr || *known != entry;
  config::FoundModule found{entry.directory, entry.version, joined(place.files_root, place.path)};
  if (is_new) {
    manifest_.remove(request.path);
    manifest_.set(request.path, entry);
    installed_(request.path, entry.directory);
  }
  if (!record.package.empty() || record.placement != Placement::Here ||
      record.stance != Mutability::NotSaid || !record.origins.empty()) {
    records_.calls[key] = std::move(record);
  }
  places_.insert_or_assign(key, std::move(place));
  return found;
}

void InstallLedger::lock(const Package& package, const std::optional<addrs::Constraints>& version) {
  const PackageRecord& record = package.record;
  const std::string& state = record.version.empty() ? record.revision : record.version;
  ModuleLock& lock = locks_[{record.label, state}];
  lock.label = record.label;
  lock.version = state;
  if (!record.version.empty()) lock.commit = record.revision;
  const auto add = [](std::vector<std::string>& to, const std::string& text) {
    const auto place = std::ranges::lower_bound(to, text);
    if (!text.empty() && (place == to.end() || *place != text)) to.insert(place, text);
  };
  add(lock.constraints, version ? version->to_string() : "");
  add(lock.hashes, record.hash);
  add(lock.hashes, record.archive_hash);
}

std::vector<ModuleLock> InstallLedger::locks() const {
  std::vector<ModuleLock> out;
  for (const auto& [key, lock] : locks_) out.push_back(lock);
  return out;
}

void InstallLedger::finish(bool complete, diag::Diagnostics& diags) {
  for (const base::Error& problem : packages_.placer().finish()) {
    diags.error("Cannot install a module").detail(problem.what + ".");
    complete = false;
  }
  if (!complete) {
    // Unused records may still be valid.
    for (const auto& [name, package] : before_.packages) records_.set_package(name, package);
    for (const auto& [key, call] : before_.calls) records_.calls.emplace(key, call);
    for (const auto& [key, one] : before_.libraries) records_.libraries.emplace(key, one);
    return;
  }
  forget_unused(diags);
}

void InstallLedger::forget_unused(diag::Diagnostics& diags) {
  for (const auto& [key, call] : before_.calls) {
    if (call.placement != Placement::Shared || records_.calls.contains(key)) continue;
    // Would lead nowhere once the package is gone.
    unlink(packages_.store().entry_path(key).c_str());
    manifest_.erase(key);
  }
  std::set<std::string, std::less<>> used;
  for (const auto& [key, call] : records_.calls) {
    if (call.placement == Placement::Shared) used.insert(call.package);
  }
  for (const auto& [key, library] : records_.libraries) used.insert(library.package);
  const auto is_left = [&](const auto& one) {
    return !used.contains(one.first) &&
           std::filesystem::exists(packages_.store().package_path(one.first));
  };
  const bool some_left = std::ranges::any_of(before_.packages, is_left);
  if (!some_left && !packages_.store().is_open()) return;
  if (auto opened = packages_.open_store(); !opened) {
    diags.warning("Unused packages stay").detail(opened.error().what + ".");
    return;
  }
  packages_.store().remove_others(used);
}

InstallSummary InstallLedger::summary() const {
  InstallSummary out;
  out.copied = copied_;
  for (const Package* package : packages_.all()) {
    if (package->fetched) ++out.fetched;
    const auto links = links_.find(package->name);
    if (links == links_.end()) continue;
    ++out.shared;
    out.sharing_calls += links->second;
    out.saved_bytes += package->bytes * (links->second - 1);
  }
  return out;
}

}  // namespace tofu::install
