#include "install/installed_rules.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/file.h"
#include "install/package_metadata_file.h"
#include "install/packages.h"

namespace tofu::install {

void InstalledRules::read_root(diag::Diagnostics& diags) {
  const std::string here(1, '.');
  Place root;
  root.label = kThisConfiguration;
  root.metadata = metadata_of(here, diags);
  root.policy = effective_policy(root.metadata.get(), here, root.label, {});
  places_.insert_or_assign("", std::move(root));
}

const InstalledRules::Place& InstalledRules::parent_of(const addrs::ModulePath& module) const {
  static const Place kUnknown;
  addrs::ModulePath above = module;
  above.names.pop_back();
  const auto found = places_.find(manifest_key(above));
  // Modules of tests have paths of their own, but belong to the root module.
  if (found != places_.end()) return found->second;
  const auto root = places_.find("");
  return root == places_.end() ? kUnknown : root->second;
}

// Links to one package have the same file, whose errors are reported once.
InstalledRules::Metadata InstalledRules::metadata_of(const std::string& package,
                                                     diag::Diagnostics& diags) {
  const auto real = base::real_path(package);
  const auto [known, is_new] = by_package_.try_emplace(real ? *real : package);
  if (is_new) {
    if (auto metadata = read_package_metadata(package, sources_, diags)) {
      known->second = std::make_shared<config::PackageMetadata>(std::move(*metadata));
    }
  }
  return known->second;
}

void InstalledRules::check(const config::ModuleRequest& request, const ManifestEntry& entry,
                           diag::Diagnostics& diags) {
  if (!request.source) return;
  const Place& parent = parent_of(request.path);
  // The directory of a package or of a copy, and the module's path in it.
  std::string package(1, '.');
  std::string path = entry.directory;
  if (entry.directory.starts_with(entries_)) {
    const std::size_t end =
        std::min(entry.directory.find('/', entries_.size()), entry.directory.size());
    package = entry.directory.substr(0, end);
    path = end == entry.directory.size() ? "." : entry.directory.substr(end + 1);
  }
  Place place = parent;
  if (place.repeats.empty() && request.repeats) place.repeats = request.path.to_string();
  const bool is_local = std::holds_alternative<addrs::LocalSource>(*request.source);
  if (!is_local) {
    place.label = package_label(*request.source);
    place.metadata = metadata_of(package, diags);
    place.inherited = inherited_by(parent.policy, place.label);
  }
  place.policy = effective_policy(place.metadata.get(), path, place.label, place.inherited);
  const Placement placement = placement_of(place.policy, is_local);
  if (!is_local || placement == Placement::Own) {
    check_instances(request, place.policy, placement, place.repeats,
                    entries_ + manifest_key(request.path), diags);
  }
  places_.insert_or_assign(manifest_key(request.path), std::move(place));
}

}  // namespace tofu::install
