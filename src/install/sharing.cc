#include "install/sharing.h"

#include <fmt/format.h>

namespace tofu::install {

Standing standing_of(const config::PackageMetadata* metadata, std::string_view path,
                     std::string_view package, const Said& inherited) {
  if (metadata == nullptr) return {inherited, inherited};
  const config::PackageModule* module = metadata->find(path);
  const auto said = [&](bool read_only) {
    return Said{read_only ? Stance::ReadOnly : Stance::SelfModifying,
                fmt::format("{} of {}", config::kPackageMetadataFile, package)};
  };
  if (module == nullptr) return {said(true), said(true)};
  return {said(module->self_read_only), said(module->dependencies_read_only),
          !module->self_read_only, module->instances};
}

bool check_instances(const config::ModuleRequest& request, const Standing& standing,
                     Placement placement, const std::string& repeats, const std::string& directory,
                     diag::Diagnostics& diags) {
  if (repeats.empty()) return true;
  const std::string name = request.path.to_string();
  const std::string chain =
      repeats == name
          ? fmt::format("{} has count or for_each", name)
          : fmt::format("{} is called below {}, which has count or for_each", name, repeats);
  if (standing.instances == config::Instances::Single) {
    diags.error("Module allows only one instance")
        .detail(fmt::format("{}, but {} says that the module can be there only once.", chain,
                            standing.self.by))
        .at(request.call_range);
    return false;
  }
  if (placement == Placement::Own && standing.self.stance == Stance::SelfModifying) {
    diags.warning("Instances share a module that changes its files")
        .detail(fmt::format("{}, and {} says that the module changes its own files. All instances "
                            "work in one directory, {}, and may get in each other's way.",
                            chain, standing.self.by, directory))
        .at(request.call_range);
  }
  return true;
}

Placement placement_of(const Standing& standing, bool is_local) {
  if (is_local) return standing.declared_self_modifying ? Placement::Own : Placement::Here;
  return standing.self.stance == Stance::ReadOnly ? Placement::Shared : Placement::Own;
}

}  // namespace tofu::install
