// Modules by local paths: of the root module's directory and inside of packages.
#include <filesystem>
#include <fmt/format.h>

#include "base/file.h"
#include "install/module_installer.h"
#include "install/module_paths.h"
#include "install/package_metadata_file.h"
#include "install/tree_contents.h"
#include "install/tree_hash.h"

namespace tofu::install {

namespace {

using config::ModuleRequest;

// `./net` written in a module in `directory`, with links followed but still
// relative to the working directory.
std::optional<std::string> local_directory(const std::string& directory,
                                           const addrs::LocalSource& source) {
  const std::filesystem::path path = std::filesystem::path(directory) / source.path;
  const auto kind = base::file_kind(path.string());
  if (!kind || *kind != base::FileKind::Directory) return std::nullopt;
  std::error_code failed;
  const auto here = std::filesystem::canonical(std::string(1, '.'), failed);
  const auto there = std::filesystem::canonical(path, failed);
  if (failed) return std::nullopt;
  return there.lexically_relative(here).string();
}

void report_unreadable(const ModuleRequest& request, std::string_view where,
                       diag::Diagnostics& diags) {
  diags.error("Unreadable module directory")
      .detail(fmt::format("{} leads to {}, which is not a directory that can be read.",
                          request.path.to_string(), where))
      .at(request.source_range);
}

}  // namespace

ModuleInstaller::Found ModuleInstaller::find_local(const ModuleRequest& request,
                                                   const addrs::LocalSource& source,
                                                   const Place& parent, diag::Diagnostics& diags) {
  if (request.version && !request.version->empty()) {
    diags.error("Invalid version constraint")
        .detail("A module on this disk has no version to choose from. Remove the version argument.")
        .at(request.call_range);
  }
  Place place = parent;
  if (request.repeats && place.repeats.empty()) place.repeats = request.path.to_string();
  if (place.root != ".") return find_in_package(request, source, std::move(place), diags);
  const auto directory = local_directory(request.parent_directory, source);
  if (!directory) {
    report_unreadable(request, source.path, diags);
    return std::nullopt;
  }
  place.path = *directory;
  place.standing = standing_of(place.metadata.get(), place.path, place.label, place.inherited);
  if (placement_of(place.standing, true) == Placement::Own) {
    return copy_local(request, std::move(place), diags);
  }
  CallRecord record;
  record.stance = place.standing.self.stance;
  record.decided_by = place.standing.self.by;
  return settle(request, std::move(place), std::move(record),
                {addrs::to_string(*request.source), "", *directory});
}

// A module of the package that the calling module is in.
ModuleInstaller::Found ModuleInstaller::find_in_package(const ModuleRequest& request,
                                                        const addrs::LocalSource& source,
                                                        Place place, diag::Diagnostics& diags) {
  const std::string path = clean(std::filesystem::path(place.path) / source.path);
  const auto seen =
      leaves_package(path) ? config::PathInPackage::Outside : look_in_package(place.root, path);
  if (seen == config::PathInPackage::Outside) {
    diags.error("Local module path escapes module package")
        .detail(fmt::format("{} leads to {}, which is outside of the package {}. A package cannot "
                            "call what is around it, only what is in it or has an address.",
                            request.path.to_string(), source.path, place.label))
        .at(request.source_range);
    return std::nullopt;
  }
  if (seen != config::PathInPackage::Directory) {
    report_unreadable(request, joined(place.root, path), diags);
    return std::nullopt;
  }
  place.path = path;
  place.standing = standing_of(place.metadata.get(), path, place.label, place.inherited);
  if (placement_of(place.standing, true) == Placement::Own) {
    return copy_local(request, std::move(place), diags);
  }
  CallRecord record{.package = place.package, .label = place.label};
  record.stance = place.standing.self.stance;
  record.decided_by = place.standing.self.by;
  if (!place.copy_of.empty()) {
    record.origin = joined(place.copy_of, path);
    if (auto hash = hash_tree(record.origin, TreeContents::Configuration)) {
      record.origin_hash = *hash;
    }
  }
  ManifestEntry entry{addrs::to_string(*request.source), "", joined(place.root, path)};
  return settle(request, std::move(place), std::move(record), std::move(entry));
}

// Whether the other modules in the copy that belongs to a call are still what they are
// copies of.
bool ModuleInstaller::follows_originals(const std::string& key) const {
  const std::string below = key + ".";
  for (auto call = before_.calls.lower_bound(below);
       call != before_.calls.end() && call->first.starts_with(below); ++call) {
    const CallRecord& record = call->second;
    if (record.origin_hash.empty()) continue;
    const auto now = hash_tree(record.origin, TreeContents::Configuration);
    if (!now || *now != record.origin_hash) return false;
  }
  return true;
}

// A local module that changes its files gets a copy of its package for every call.
ModuleInstaller::Found ModuleInstaller::copy_local(const ModuleRequest& request, Place place,
                                                   diag::Diagnostics& diags) {
  if (!check_instances(request, place, Placement::Own, diags)) return std::nullopt;
  const std::string key = manifest_key(request.path);
  const std::string entry = packages_.store().entry_path(key);
  CallRecord record{.package = place.package,
                    .label = place.label,
                    .placement = Placement::Own,
                    .stance = place.standing.self.stance,
                    .decided_by = place.standing.self.by};
  const std::string original = place.copy_of.empty() ? place.root : place.copy_of;
  const auto contents = place.package.empty() ? TreeContents::Configuration : TreeContents::All;
  record.origin = joined(original, place.path);
  if (auto hash = hash_tree(record.origin, contents)) record.origin_hash = *hash;
  ManifestEntry written{addrs::to_string(*request.source), "", joined(entry, place.path)};
  const ManifestEntry* known = manifest_.find(request.path);
  const CallRecord* before = before_.call(key);
  const bool is_right = !again_ && known != nullptr && *known == written && before != nullptr &&
                        before->origin_hash == record.origin_hash && is_real_directory(entry) &&
                        follows_originals(key);
  if (!is_right) {
    if (auto done = packages_.copy_directory(original, contents, entry); !done) {
      diags.error("Cannot copy a module")
          .detail(fmt::format("{} needs a directory of its own, since {} says that it changes its "
                              "files, but {}.",
                              request.path.to_string(), record.decided_by, done.error().what))
          .at(request.call_range);
      return std::nullopt;
    }
    ++copied_;
    manifest_.remove(request.path);
  }
  if (place.package.empty()) place.copy_of = original;
  place.root = entry;
  place.files_root = entry;
  return settle(request, std::move(place), std::move(record), std::move(written));
}

}  // namespace tofu::install
