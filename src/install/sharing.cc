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

Placement placement_of(const Standing& standing, bool is_local) {
  if (is_local) return standing.declared_self_modifying ? Placement::Own : Placement::Here;
  return standing.self.stance == Stance::ReadOnly ? Placement::Shared : Placement::Own;
}

}  // namespace tofu::install
