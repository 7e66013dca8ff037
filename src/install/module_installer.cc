#include "install/module_installer.h"

#include <filesystem>
#include <fmt/format.h>
#include <span>
#include <utility>
#include <variant>

#include "base/check.h"
#include "base/unicode.h"
#include "install/module_directory.h"
#include "install/module_finder.h"
#include "install/module_paths.h"
#include "install/package_fetcher.h"
#include "install/package_metadata_file.h"

namespace tofu::install {

namespace {

using config::FoundModule;
using config::ModuleRequest;

constexpr std::string_view kMissingPackages = "Module packages not available";

const std::string& subdir_of(const addrs::ModuleSource& source) {
  if (const auto* registry = std::get_if<addrs::RegistrySource>(&source)) return registry->subdir;
  return std::get<addrs::RemoteSource>(source).subdir;
}

PackageRequest package_request(const ModuleRequest& request, bool untrusted) {
  return {*request.source, request.version, untrusted, manifest_key(request.path)};
}

}  // namespace

ModuleInstaller::ModuleInstaller(Manifest manifest, const PackageRecords& before, bool again,
                                 Packages& packages, diag::SourceMap& sources,
                                 InstallLedger::Installed installed)
    : packages_(packages),
      sources_(sources),
      ledger_(std::move(manifest), before, again, packages, std::move(installed)),
      local_(packages, ledger_) {}

void ModuleInstaller::read_root(diag::Diagnostics& diags) {
  ModulePlace root;
  root.label = kThisConfiguration;
  if (auto metadata = read_package_metadata(root.root, sources_, diags)) {
    root.metadata = std::make_shared<config::PackageMetadata>(std::move(*metadata));
  }
  root.policy = effective_policy(root.metadata.get(), root.path, root.label, {});
  ledger_.enter_root(std::move(root));
}

void ModuleInstaller::expect(const ModuleRequest& request) {
  if (!request.source || std::holds_alternative<addrs::LocalSource>(*request.source)) return;
  if (!base::is_identifier(request.path.names.back()) || can_reuse_copy(request)) return;
  packages_.expect(package_request(request, ledger_.parent_of(request.path).elsewhere));
}

ModuleInstaller::Found ModuleInstaller::find(const ModuleRequest& request,
                                             diag::Diagnostics& diags) {
  // Reported already, as is a name that could not be part of a path.
  if (!request.source || !base::is_identifier(request.path.names.back())) return std::nullopt;
  const ModulePlace& parent = ledger_.parent_of(request.path);
  if (const auto* local = std::get_if<addrs::LocalSource>(&*request.source)) {
    return local_.find(request, *local, parent, diags);
  }
  if (can_reuse_copy(request)) {
    if (auto kept = keep_copy(request, parent, diags)) return *std::move(kept);
  }
  return find_package(request, parent, diags);
}

// Whether the call has a copy of its own, made for the same source. A directory where a link to a
// shared package was is none: its contents are unknown.
bool ModuleInstaller::has_copy(const ModuleRequest& request) const {
  const std::string key = manifest_key(request.path);
  const ManifestEntry* entry = ledger_.again() ? nullptr : ledger_.manifest().find(request.path);
  if (entry == nullptr || entry->source != addrs::to_string(*request.source)) return false;
  const CallRecord* known = ledger_.before().call(key);
  if (known != nullptr && known->placement == Placement::Shared) return false;
  const std::string path = packages_.store().entry_path(key);
  return version_fits(request, *entry) && (is_real_directory(path) || linked_directory(request)) &&
         is_directory(entry->directory);
}

// Whether a copy can stay without a look at the package. Of a package that is locked
// the copy alone cannot tell that this call may have one.
bool ModuleInstaller::can_reuse_copy(const ModuleRequest& request) const {
  return has_copy(request) && !packages_.is_locked(*request.source);
}

// The directory on this disk that the source means, if the call's entry is a link to it.
std::optional<std::string> ModuleInstaller::linked_directory(const ModuleRequest& request) const {
  const auto directory = directory_on_disk(*request.source);
  const std::string entry = packages_.store().entry_path(manifest_key(request.path));
  std::error_code failed;
  if (!directory || std::filesystem::read_symlink(entry, failed) != *directory) return std::nullopt;
  return directory;
}

// Such a copy is left alone, whatever became of it, as long as it may be one. Nothing
// if the package has to be shared now.
std::optional<ModuleInstaller::Found> ModuleInstaller::keep_copy(const ModuleRequest& request,
                                                                 const ModulePlace& parent,
                                                                 diag::Diagnostics& diags) {
  const std::string key = manifest_key(request.path);
  const ManifestEntry entry = *ledger_.manifest().find(request.path);
  const CallRecord* known = ledger_.before().call(key);
  ModulePlace place;
  place.root = packages_.store().entry_path(key);
  place.readable = place.root;
  place.files_root = place.root;
  place.linked = linked_directory(request).value_or("");
  place.path = clean(std::filesystem::path(entry.directory).lexically_relative(place.root));
  place.label = package_label(*request.source);
  place.package = known != nullptr ? known->package : "";
  place.elsewhere = parent.elsewhere || !is_of_this_machine(*request.source);
  place.inherited = inherited_by(parent.policy, place.label);
  place.repeats =
      parent.repeats.empty() && request.repeats ? request.path.to_string() : parent.repeats;
  if (auto metadata = read_package_metadata(place.root, sources_, diags)) {
    place.metadata = std::make_shared<config::PackageMetadata>(std::move(*metadata));
  }
  place.policy = effective_policy(place.metadata.get(), place.path, place.label, place.inherited);
  if (leaves_package(place.path) || placement_of(place.policy, false) != Placement::Own) {
    return std::nullopt;
  }
  if (!check_instances(request, place, Placement::Own, diags)) return Found();
  CallRecord record{.package = place.package,
                    .label = place.label,
                    .placement = Placement::Own,
                    .stance = place.policy.self.stance,
                    .decided_by = place.policy.self.by};
  if (const PackageRecord* package = ledger_.before().package(place.package, place.label)) {
    ledger_.records().set_package(place.package, *package);
  }
  return ledger_.enter(request, std::move(place), std::move(record), entry);
}

ModuleInstaller::Found ModuleInstaller::find_package(const ModuleRequest& request,
                                                     const ModulePlace& parent,
                                                     diag::Diagnostics& diags) {
  const auto got = packages_.get(package_request(request, parent.elsewhere));
  if (!got && packages_.is_stopped()) {
    report_interruption(diags);
    return std::nullopt;
  }
  if (!got) {
    report_unfetched(got.error(), request.path.to_string(), request.call_range, diags);
    return std::nullopt;
  }
  Package& package = **got;
  const config::PackageMetadata* metadata = packages_.metadata_of(package, sources_, diags);
  const auto subdir = find_subdir(package.files, package.record.subdir, subdir_of(*request.source));
  const std::string path = subdir ? clean(*subdir) : "";
  const std::string files_root = packages_.store().package_path(package.name);
  if (!subdir || (!seen_.contains(joined(files_root, path)) &&
                  look_in_package(package.files, path) != config::PathInPackage::Directory)) {
    diags.error("Module subdirectory not found")
        .detail(fmt::format("The package {} has no directory {:?}, which {} asks for.",
                            package.record.label, subdir_of(*request.source),
                            request.path.to_string()))
        .at(request.call_range);
    return std::nullopt;
  }
  ModulePlace place;
  place.root = packages_.store().entry_path(manifest_key(request.path));
  place.path = path;
  place.label = package.record.label;
  place.package = package.name;
  place.elsewhere = parent.elsewhere || !is_of_this_machine(*request.source);
  // Lives as long as the packages do, which is longer than this.
  place.metadata = std::shared_ptr<const config::PackageMetadata>(
      std::shared_ptr<const config::PackageMetadata>(), metadata);
  place.inherited = inherited_by(parent.policy, place.label);
  place.policy = effective_policy(metadata, path, place.label, place.inherited);
  place.repeats =
      parent.repeats.empty() && request.repeats ? request.path.to_string() : parent.repeats;
  const Placement placement = placement_of(place.policy, false);
  if (placement == Placement::Own && has_copy(request)) {
    if (auto kept = keep_copy(request, parent, diags)) return *std::move(kept);
  }
  if (!check_instances(request, place, placement, diags) ||
      !place_package(request, package, placement, place, diags)) {
    return std::nullopt;
  }
  place.files_root = files_root;
  seen_.insert(joined(files_root, path));
  if (placement == Placement::Shared) ledger_.lock(package, request.version);
  ledger_.records().set_package(package.name, package.record);
  CallRecord record{.package = package.name,
                    .label = package.record.label,
                    .placement = placement,
                    .stance = place.policy.self.stance,
                    .decided_by = place.policy.self.by};
  ManifestEntry entry{addrs::to_string(*request.source), package.record.version,
                      joined(place.root, path)};
  return ledger_.enter(request, std::move(place), std::move(record), std::move(entry));
}

// Said once: every package that is still missing fails for the same reason.
void ModuleInstaller::report_interruption(diag::Diagnostics& diags) {
  if (std::exchange(interrupted_, true)) return;
  diags.error("Module installation was interrupted")
      .detail("Not all modules are installed. Run the command again to continue.");
}

void ModuleInstaller::report_unfetched(const Refusal& refusal, const std::string& user,
                                       diag::SourceRange place, diag::Diagnostics& diags) {
  const auto [known, is_new] = unfetched_.try_emplace({refusal.summary, refusal.detail});
  Unfetched& unfetched = known->second;
  unfetched.missing = refusal.missing;
  unfetched.users.push_back(user);
  if (!is_new) return;
  if (!refusal.missing.empty()) {
    // One error names all of them, in finish().
    if (missing_++ == 0) diags.error(std::string(kMissingPackages)).at(place);
    return;
  }
  unfetched.detail = fmt::format("{}: {}", user, refusal.detail);
  diags.error(refusal.summary).detail(unfetched.detail).at(place);
}

// Also says where the files can be read from now on.
bool ModuleInstaller::place_package(const ModuleRequest& request, Package& package,
                                    Placement placement, ModulePlace& place,
                                    diag::Diagnostics& diags) {
  const std::string& entry = place.root;
  place.readable = entry;
  base::Result<void> done;
  if (placement == Placement::Shared) {
    if (const auto refusal = packages_.refuses_to_lock(package)) {
      diags.error(refusal->summary)
          .detail(fmt::format("{}: {}", request.path.to_string(), refusal->detail))
          .at(request.call_range);
      return false;
    }
    done = packages_.placer().link(package, entry);
    ledger_.count_link(package.name);
  } else if (const auto directory = directory_on_disk(*request.source);
             directory && place.policy.self.stance != Mutability::SelfModifying &&
             linked_.insert(package.record.label).second) {
    // As in OpenTofu: the first call of a directory on this disk sees it as it is, the
    // others get copies.
    done = packages_.store().place_link(*directory, entry);
    place.linked = *directory;
  } else {
    done = packages_.placer().copy(package, entry);
    place.readable = package.files;
    ledger_.count_copy();
  }
  if (done) return true;
  if (packages_.is_stopped()) {
    report_interruption(diags);
    return false;
  }
  diags.error("Cannot install a module")
      .detail(fmt::format("The package {} was fetched, but could not be installed for {}: {}.",
                          package.record.label, request.path.to_string(), done.error().what))
      .at(request.call_range);
  return false;
}

bool ModuleInstaller::check_instances(const ModuleRequest& request, const ModulePlace& place,
                                      Placement placement, diag::Diagnostics& diags) {
  return install::check_instances(request, place.policy, placement, place.repeats,
                                  packages_.store().entry_path(manifest_key(request.path)), diags);
}

std::optional<config::ParsedFiles> ModuleInstaller::read(const ModuleRequest& request,
                                                         const FoundModule& found,
                                                         diag::Diagnostics& diags) {
  const ModulePlace* place = ledger_.place_of(manifest_key(request.path));
  TOFU_CHECK(place != nullptr, "a module is read after it was found");
  return read_module_copy(joined(place->readable, place->path), found.directory, sources_, diags);
}

// Whether what is in a directory came from another machine.
bool ModuleInstaller::is_elsewhere(std::string_view directory) const {
  if (directory.starts_with(packages_.store().packages_directory())) return true;
  const std::string entries = packages_.store().entry_path("");
  if (!directory.starts_with(entries)) return false;
  directory.remove_prefix(entries.size());
  const ModulePlace* place = ledger_.place_of(directory.substr(0, directory.find('/')));
  return place == nullptr || place->elsewhere;
}

std::optional<std::string> ModuleInstaller::find_library(const symbols::LibraryRequest& request,
                                                         diag::Diagnostics& diags) {
  const auto refuse = [&](const std::string& summary, const std::string& detail) {
    diags.error(summary)
        .detail(fmt::format("Symbol library {:?}: {}", request.name, detail))
        .at(request.source_range);
    return std::nullopt;
  };
  const bool untrusted = is_elsewhere(request.parent_directory);
  const auto got = packages_.get(
      {request.source, request.version, untrusted, fmt::format("symbols.{}", request.name)});
  if (!got && packages_.is_stopped()) {
    report_interruption(diags);
    return std::nullopt;
  }
  if (!got) {
    report_unfetched(got.error(), fmt::format("Symbol library {:?}", request.name),
                     request.source_range, diags);
    return std::nullopt;
  }
  Package& package = **got;
  const auto subdir = find_subdir(package.files, package.record.subdir, subdir_of(request.source));
  if (!subdir) return refuse("Symbol library not found", subdir.error().what + ".");
  if (const auto refusal = packages_.refuses_to_lock(package)) {
    return refuse(refusal->summary, refusal->detail);
  }
  if (auto shared = packages_.placer().share(package); !shared) {
    return refuse("Cannot install a symbol library", shared.error().what + ".");
  }
  ledger_.lock(package, request.version);
  ledger_.records().set_package(package.name, package.record);
  ledger_.records().libraries[library_key(addrs::to_string(without_secrets(request.source)),
                                          request.version ? request.version->to_string() : "")] = {
      package.name, *subdir};
  return joined(package.files, *subdir);
}

LibraryHome ModuleInstaller::library_home(const std::string& directory) {
  const std::string entries = packages_.store().entry_path("");
  if (!directory.starts_with(entries)) {
    return library_home_in(directory, packages_.store().packages_directory() + "/");
  }
  const std::string key =
      directory.substr(entries.size(), directory.find('/', entries.size()) - entries.size());
  const ModulePlace* place = ledger_.place_of(key);
  if (place == nullptr) return library_home_in(directory, entries);
  if (!place->copy.empty()) {
    return {clean(std::filesystem::path(directory).lexically_relative(place->root)), ""};
  }
  if (place->readable != place->root) packages_.placer().wait_for_copies();
  return library_home_in(directory, entries);
}

namespace {

// "module.b, module.c and 3 more".
std::string list_of(std::span<const std::string> users) {
  constexpr std::size_t kMaxListed = 20;
  if (users.size() <= kMaxListed) return fmt::format("{}", fmt::join(users, ", "));
  return fmt::format("{} and {} more", fmt::join(users.first(kMaxListed), ", "),
                     users.size() - kMaxListed);
}

}  // namespace

void ModuleInstaller::report_missing(diag::Diagnostics& diags) const {
  if (missing_ == 0) return;
  std::string list;
  for (const auto& [refusal, unfetched] : unfetched_) {
    if (unfetched.missing.empty()) continue;
    list += fmt::format("\n  - {} ({})", unfetched.missing, list_of(unfetched.users));
  }
  for (diag::Diagnostic& each : diags.items_from(0)) {
    if (each.summary != kMissingPackages) continue;
    each.detail = fmt::format(
        "These module packages are not on this machine, and -offline or the module_installation "
        "rules of the CLI configuration do not allow fetching them:{}\n\nThe calls inside of these "
        "packages are not known yet. Run \"tofu modules mirror DIR\" or \"tofu modules vendor\" on "
        "a machine "
        "that may fetch them, or run \"tofu init\" without -offline.",
        list);
  }
}

void ModuleInstaller::finish(bool complete, diag::Diagnostics& diags) {
  report_missing(diags);
  for (const auto& [refusal, unfetched] : unfetched_) {
    if (!unfetched.missing.empty()) continue;
    if (unfetched.users.size() < 2) continue;
    const std::span others = std::span(unfetched.users).subspan(1);
    for (diag::Diagnostic& each : diags.items_from(0)) {
      if (each.summary != refusal.first || each.detail != unfetched.detail) continue;
      each.detail += fmt::format("\n\nThe same package is needed by: {}.", list_of(others));
    }
  }
  ledger_.finish(complete, diags);
}

}  // namespace tofu::install
