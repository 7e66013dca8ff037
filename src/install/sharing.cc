#include "install/sharing.h"

#include <fmt/format.h>
#include <utility>

namespace tofu::install {

namespace {

Declaration declaration(bool read_only, const config::PackageMetadata* speaker, std::string of) {
  Declaration declared{read_only ? Mutability::ReadOnly : Mutability::SelfModifying,
                       fmt::format("{} of {}", config::kPackageMetadataFile, of), speaker};
  declared.speaker_of = std::move(of);
  return declared;
}

}  // namespace

Declaration inherited_by(const EffectivePolicy& parent, std::string_view label) {
  const Declaration& all = parent.dependencies;
  const auto* one = all.speaker == nullptr ? nullptr : all.speaker->find_dependency(label);
  return one == nullptr ? all : declaration(one->read_only, all.speaker, all.speaker_of);
}

EffectivePolicy effective_policy(const config::PackageMetadata* metadata, std::string_view path,
                                 std::string_view package, const Declaration& inherited) {
  if (metadata == nullptr) return {inherited, inherited};
  const config::PackageModule* module = metadata->find(path);
  const auto declared = [&](bool read_only) {
    return declaration(read_only, metadata, std::string(package));
  };
  if (module == nullptr) return {declared(true), declared(true)};
  return {declared(module->self_read_only), declared(module->dependencies_read_only),
          !module->self_read_only, module->instances};
}

bool check_instances(const config::ModuleRequest& request, const EffectivePolicy& policy,
                     Placement placement, const std::string& repeats, const std::string& directory,
                     diag::Diagnostics& diags) {
  if (repeats.empty()) return true;
  const std::string name = request.path.to_string();
  const std::string chain =
      repeats == name
          ? fmt::format("{} has count or for_each", name)
          : fmt::format("{} is called below {}, which has count or for_each", name, repeats);
  if (policy.instances == config::Instances::Single) {
    diags.error("Module allows only one instance")
        .detail(fmt::format("{}, but {} says that the module can be there only once.", chain,
                            policy.self.by))
        .at(request.call_range);
    return false;
  }
  if (placement == Placement::Own && policy.self.stance == Mutability::SelfModifying) {
    diags.warning("Instances share a module that changes its files")
        .detail(fmt::format("{}, and {} says that the module changes its own files. All instances "
                            "work in one directory, {}, and may get in each other's way.",
                            chain, policy.self.by, directory))
        .at(request.call_range);
  }
  return true;
}

Placement placement_of(const EffectivePolicy& policy, bool is_local) {
  if (is_local) return policy.declared_self_modifying ? Placement::Own : Placement::Here;
  return policy.self.stance == Mutability::ReadOnly ? Placement::Shared : Placement::Own;
}

}  // namespace tofu::install
