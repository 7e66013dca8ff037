#include "install/local_modules.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

#include "archive/tree_contents.h"
#include "archive/tree_hash.h"
#include "base/file.h"
#include "install/local_copy.h"
#include "install/module_paths.h"
#include "install/package_metadata_file.h"

namespace tofu::install {

namespace {

using config::ModuleRequest;

void report_unreadable(const ModuleRequest& request, std::string_view where,
                       diag::Diagnostics& diags) {
  diags.error("Unreadable module directory")
      .detail(fmt::format("{} leads to {}, which is not a directory that can be read.",
                          request.path.to_string(), where))
      .at(request.source_range);
}

// A directory relative to the working directory, however it is written.
std::string path_from_here(const std::string& directory) {
  const auto here = base::real_path(std::string(1, '.'));
  const auto there = base::real_path(directory);
  if (!here || !there) return directory;
  return clean(std::filesystem::path(*there).lexically_relative(*here));
}

// The same directory of a package by a path without links. It is there, and inside.
std::string path_in_package(const std::string& package, const std::string& path) {
  const auto top = base::real_path(package);
  const auto there = base::real_path(joined(package, path));
  if (!top || !there) return path;
  return clean(std::filesystem::path(*there).lexically_relative(*top));
}

std::string hash_of(const std::string& directory, archive::TreeContents contents) {
  auto hash = archive::hash_tree(directory, contents);
  return hash ? std::move(*hash) : std::string();
}

void report_no_copy(const ModuleRequest& request, std::string_view decided_by,
                    std::string_view problem, diag::Diagnostics& diags) {
  diags.error("Cannot copy a module")
      .detail(fmt::format("{} needs a directory of its own, since {} says that it changes its "
                          "files, but {}.",
                          request.path.to_string(), decided_by, problem))
      .at(request.call_range);
}

// Whether the directories that a copy was made of are still as they were.
bool follows_origins(const CallRecord& record) {
  return !record.origins.empty() && std::ranges::all_of(record.origins, [](const Origin& origin) {
    return hash_of(origin.directory, archive::TreeContents::Configuration) == origin.hash;
  });
}

}  // namespace

std::optional<config::FoundModule> LocalModules::find(const ModuleRequest& request,
                                                      const addrs::LocalSource& source,
                                                      const ModulePlace& parent,
                                                      diag::Diagnostics& diags) {
  if (request.version && !request.version->empty()) {
    diags.error("Invalid version constraint")
        .detail("A module on this disk has no version to choose from. Remove the version argument.")
        .at(request.call_range);
  }
  ModulePlace place = parent;
  if (request.repeats && place.repeats.empty()) place.repeats = request.path.to_string();
  if (place.root != ".") return find_in_package(request, source, std::move(place), diags);
  const std::string path = clean(std::filesystem::path(request.parent_directory) / source.path);
  return find_at(request, std::move(place), path, diags);
}

// A module at a path from the working directory, where it is.
std::optional<config::FoundModule> LocalModules::find_at(const ModuleRequest& request,
                                                         ModulePlace place, const std::string& path,
                                                         diag::Diagnostics& diags) {
  const auto directory = without_links(path);
  if (!directory || !is_directory(*directory)) {
    report_unreadable(request, addrs::to_string(*request.source), diags);
    return std::nullopt;
  }
  place.path = path_from_here(*directory);
  place.policy = effective_policy(place.metadata.get(), place.path, place.label, place.inherited);
  if (placement_of(place.policy, true) == Placement::Own) {
    return copy_local(request, std::move(place), diags);
  }
  CallRecord record;
  record.stance = place.policy.self.stance;
  record.decided_by = place.policy.self.by;
  return ledger_.enter(request, std::move(place), std::move(record),
                       {addrs::to_string(*request.source), "", *directory});
}

// A module of the package that the calling module is in.
std::optional<config::FoundModule> LocalModules::find_in_package(const ModuleRequest& request,
                                                                 const addrs::LocalSource& source,
                                                                 ModulePlace place,
                                                                 diag::Diagnostics& diags) {
  std::string path = clean(std::filesystem::path(place.path) / source.path);
  const bool leaves = leaves_package(path);
  if (leaves && !place.copy.empty()) {
    // Not of the root module's directory, so there is no copy of it.
    ModulePlace outside = ledger_.root();
    outside.repeats = place.repeats;
    return find_at(request, std::move(outside), path, diags);
  }
  if (!leaves && !place.copy.empty()) {
    place.path = path;
    if (!add_to_copy(request, place, diags)) return std::nullopt;
  }
  const auto seen = leaves ? config::PathInPackage::Outside : look_in_package(place.readable, path);
  if (seen == config::PathInPackage::Outside) {
    diags.error("Local module path escapes module package")
        .detail(fmt::format("{} leads to {}, which is outside of the package {}. A package can "
                            "only call modules inside it or at a remote address.",
                            request.path.to_string(), source.path, place.label))
        .at(request.source_range);
    return std::nullopt;
  }
  if (seen != config::PathInPackage::Directory) {
    report_unreadable(request, joined(place.root, path), diags);
    return std::nullopt;
  }
  if (!place.linked.empty()) {
    // By its real path, as in OpenTofu.
    place.root = place.readable = place.files_root = place.linked;
  }
  place.path = path_in_package(place.readable, path);
  place.policy = effective_policy(place.metadata.get(), place.path, place.label, place.inherited);
  if (placement_of(place.policy, true) == Placement::Own) {
    return place.copy.empty() ? copy_in_package(request, std::move(place), diags)
                              : copy_local(request, std::move(place), diags);
  }
  CallRecord record{.package = place.package, .label = place.label};
  record.stance = place.policy.self.stance;
  record.decided_by = place.policy.self.by;
  ManifestEntry entry{addrs::to_string(*request.source), "", joined(place.root, place.path)};
  return ledger_.enter(request, std::move(place), std::move(record), std::move(entry));
}

// A local module of the root that changes its files gets a copy for every call, with
// what it calls by local paths.
std::optional<config::FoundModule> LocalModules::copy_local(const ModuleRequest& request,
                                                            ModulePlace place,
                                                            diag::Diagnostics& diags) {
  if (!check_instances(request, place.policy, Placement::Own, place.repeats, entry_of(request),
                       diags))
    return std::nullopt;
  const std::string key = manifest_key(request.path);
  const std::string entry = entry_of(request);
  CallRecord record{.package = "",
                    .label = place.label,
                    .placement = Placement::Own,
                    .stance = place.policy.self.stance,
                    .decided_by = place.policy.self.by};
  record.origins = {{place.path, hash_of(place.path, archive::TreeContents::Configuration)}};
  ManifestEntry written{addrs::to_string(*request.source), "", joined(entry, place.path)};
  const ManifestEntry* known = ledger_.manifest().find(request.path);
  const CallRecord* before = ledger_.before().call(key);
  const bool is_right = !ledger_.again() && known != nullptr && *known == written &&
                        before != nullptr && is_real_directory(entry) && follows_origins(*before);
  LocalCopy copy{place.path, {place.path}};
  if (is_right) {
    for (const Origin& origin : before->origins) {
      if (!is_at_or_below(origin.directory, place.path)) copy.whole.push_back(origin.directory);
    }
  } else {
    auto done = packages_.placer().begin_local_copy(place.path, entry);
    if (!done) {
      report_no_copy(request, record.decided_by, done.error().what, diags);
      return std::nullopt;
    }
    ledger_.count_copy();
    ledger_.manifest().remove(request.path);
  }
  copies_.insert_or_assign(key, std::move(copy));
  place.copy = key;
  place.root = place.readable = place.files_root = entry;
  return ledger_.enter(request, std::move(place), std::move(record), std::move(written));
}

// Makes sure that the copy which the calling module is in has the directory at
// `place.path` too.
bool LocalModules::add_to_copy(const ModuleRequest& request, const ModulePlace& place,
                               diag::Diagnostics& diags) {
  LocalCopy& copy = copies_.find(place.copy)->second;
  if (is_at_or_below(place.path, copy.path)) return true;
  CallRecord& record = ledger_.records().calls.find(place.copy)->second;
  const bool is_recorded = std::ranges::any_of(
      record.origins, [&](const Origin& one) { return one.directory == place.path; });
  if (is_recorded) return true;
  const auto is_inside = [&](const std::string& one) { return is_at_or_below(place.path, one); };
  if (!is_directory(place.path)) return true;  // the lookup reports that
  if (std::ranges::none_of(copy.whole, is_inside)) {
    if (auto done = packages_.placer().add_to_local_copy(place.path, place.root, copy.whole);
        !done) {
      report_no_copy(request, record.decided_by, done.error().what, diags);
      return false;
    }
    std::erase_if(copy.whole,
                  [&](const std::string& one) { return is_at_or_below(one, place.path); });
    copy.whole.push_back(place.path);
  }
  record.origins.push_back({place.path, hash_of(place.path, archive::TreeContents::Configuration)});
  return true;
}

// A module inside of a package that changes its files gets a copy of the package for
// every call.
std::optional<config::FoundModule> LocalModules::copy_in_package(const ModuleRequest& request,
                                                                 ModulePlace place,
                                                                 diag::Diagnostics& diags) {
  if (!check_instances(request, place.policy, Placement::Own, place.repeats, entry_of(request),
                       diags))
    return std::nullopt;
  const std::string key = manifest_key(request.path);
  const std::string entry = entry_of(request);
  CallRecord record{.package = place.package,
                    .label = place.label,
                    .placement = Placement::Own,
                    .stance = place.policy.self.stance,
                    .decided_by = place.policy.self.by};
  record.origins = {{joined(place.root, place.path),
                     hash_of(joined(place.readable, place.path), archive::TreeContents::All)}};
  ManifestEntry written{addrs::to_string(*request.source), "", joined(entry, place.path)};
  const ManifestEntry* known = ledger_.manifest().find(request.path);
  const CallRecord* before = ledger_.before().call(key);
  const bool is_right = !ledger_.again() && known != nullptr && *known == written &&
                        before != nullptr && before->origins == record.origins &&
                        is_real_directory(entry);
  if (!is_right) {
    if (auto done = packages_.placer().copy_directory(place.readable, entry); !done) {
      report_no_copy(request, record.decided_by, done.error().what, diags);
      return std::nullopt;
    }
    ledger_.count_copy();
    ledger_.manifest().remove(request.path);
  }
  place.linked.clear();
  place.root = place.readable = place.files_root = entry;
  return ledger_.enter(request, std::move(place), std::move(record), std::move(written));
}

std::string LocalModules::entry_of(const ModuleRequest& request) {
  return packages_.store().entry_path(manifest_key(request.path));
}

}  // namespace tofu::install
