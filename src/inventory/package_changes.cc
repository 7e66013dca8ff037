#include "inventory/package_changes.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace tofu::inventory {

namespace {

constexpr std::size_t kShownCommit = 12;  // characters; enough to find it

std::string shown_state(const install::PackageRecord& package) {
  if (!package.version.empty()) return package.version;
  if (!package.revision.empty()) return package.revision.substr(0, kShownCommit);
  return package.hash;
}

bool same_state(const install::PackageRecord& a, const install::PackageRecord& b) {
  return a.version == b.version && a.revision == b.revision && a.hash == b.hash;
}

// The path of a module below the entry of its call.
std::string path_below_entry(const std::string& directory, const std::string& key) {
  const std::string entry = "/modules/" + key;
  const std::size_t at = directory.find(entry);
  return at == std::string::npos ? "" : directory.substr(at + entry.size());
}

std::string address_of(std::string_view key) {
  std::string out = "module.";
  for (const char c : key) out += c == '.' ? std::string(".module.") : std::string(1, c);
  return out;
}

// Calls of one module of one package have one interface; it is read once.
using InterfaceKey = std::tuple<std::string, std::string, std::string>;  // package, path, copy
using Interfaces = std::map<InterfaceKey, std::optional<ModuleInterface>>;

const std::optional<ModuleInterface>& interface_of(const install::CallRecord& call,
                                                   const std::string& path,
                                                   const std::string& directory,
                                                   Interfaces& known) {
  const bool is_shared = call.placement == install::Placement::Shared;
  const auto [at, is_new] =
      known.try_emplace({call.package, path, is_shared ? "" : directory}, std::nullopt);
  if (is_new) at->second = read_interface(directory);
  return at->second;
}

}  // namespace

PackageChanges::PackageChanges(const install::Manifest& manifest,
                               const install::PackageRecords& records, bool with_interfaces) {
  Interfaces interfaces;
  for (const auto& [key, call] : records.calls) {
    const auto entry = manifest.entries().find(key);
    if (entry == manifest.entries().end()) continue;
    const install::PackageRecord* package =
        records.package(call.package, call.label, entry->second.version);
    if (package == nullptr) continue;
    const std::string& directory = entry->second.directory;
    Module module{*package, path_below_entry(directory, key)};
    if (with_interfaces) module.interface = interface_of(call, module.path, directory, interfaces);
    modules_.emplace(key, std::move(module));
  }
  for (const auto& [key, library] : records.libraries) {
    if (const auto* package = records.package(library.package)) libraries_.emplace(key, *package);
  }
}

std::vector<PackageChange> PackageChanges::compare(const install::Manifest& manifest,
                                                   const install::PackageRecords& records) const {
  std::map<std::tuple<std::string, std::string, std::string>, PackageChange> changes;
  std::set<std::tuple<std::string, std::string, std::string>> told;  // interfaces
  Interfaces interfaces;
  const auto change_of = [&](const install::PackageRecord& before,
                             const install::PackageRecord& after) -> PackageChange& {
    PackageChange& change = changes[{after.label, shown_state(before), shown_state(after)}];
    change.source = after.label;
    change.before = shown_state(before);
    change.after = shown_state(after);
    return change;
  };
  for (const auto& [key, before] : modules_) {
    const install::CallRecord* call = records.call(key);
    const auto entry = manifest.entries().find(key);
    if (call == nullptr || entry == manifest.entries().end()) continue;
    const auto* after = records.package(call->package, call->label, entry->second.version);
    if (after == nullptr || after->label != before.package.label) continue;
    if (same_state(before.package, *after)) continue;
    PackageChange& change = change_of(before.package, *after);
    change.users.push_back(address_of(key));
    const std::string path = path_below_entry(entry->second.directory, key);
    if (!before.interface || !told.emplace(after->label, shown_state(*after), path).second) {
      continue;
    }
    const auto& now = interface_of(*call, path, entry->second.directory, interfaces);
    if (!now) continue;
    for (std::string& line : interface_changes(*before.interface, *now)) {
      change.details.push_back(path.empty() ? std::move(line)
                                            : fmt::format("{} in {}", line, path.substr(1)));
    }
  }
  for (const auto& [key, before] : libraries_) {
    const install::LibraryRecord* library = records.library(key);
    const auto* after =
        library == nullptr ? nullptr : records.package(library->package, before.label);
    if (after == nullptr || after->label != before.label || same_state(before, *after)) continue;
    change_of(before, *after).users.push_back(fmt::format("symbols from {}", key));
  }
  std::vector<PackageChange> out;
  for (auto& [state, change] : changes) out.push_back(std::move(change));
  return out;
}

std::string changes_text(const std::vector<PackageChange>& changes) {
  std::string text;
  for (const PackageChange& change : changes) {
    constexpr std::size_t kMaxListed = 5;
    const std::span users(change.users);
    const std::size_t listed = std::min(users.size(), kMaxListed);
    text += fmt::format(
        "{}- {}: {} -> {} ({}{})", text.empty() ? "" : "\n", change.source, change.before,
        change.after, fmt::join(users.first(listed), ", "),
        users.size() > listed ? fmt::format(" and {} more", users.size() - listed) : "");
    for (const std::string& line : change.details) text += "\n    " + line;
  }
  return text;
}

std::vector<std::string> lock_changes(const install::LockFile& before,
                                      const install::LockFile& after) {
  std::vector<std::string> lines;
  if (before.modules().empty()) return lines;
  for (const install::ModuleLock& lock : after.modules()) {
    if (!before.find_modules(lock.label).empty()) continue;
    lines.push_back(fmt::format("Added {} to the lock file{}{}", lock.label,
                                lock.version.empty() ? "" : " at ", lock.version));
  }
  for (const install::ModuleLock& lock : before.modules()) {
    if (!after.find_modules(lock.label).empty()) continue;
    lines.push_back(
        fmt::format("Removed {} from the lock file: no call shares this package now", lock.label));
  }
  return lines;
}

}  // namespace tofu::inventory
