// A module: everything that one directory of files declares, merged.
//
// Made from parsed files by declare_module(), which evaluates nothing and reads
// no disk. Override files are already merged in. The module keeps its files
// alive, so expressions and bodies stay valid while it lives.
//
// A module answers the reference parser's questions about itself: which optional
// features are on, and which managed resources there are.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "addrs/provider.h"
#include "addrs/reference.h"
#include "base/named.h"
#include "config/encryption.h"
#include "config/objects.h"
#include "config/refactor.h"
#include "config/settings.h"
#include "config/values.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "features/features.h"
#include "symbols/symbols_import.h"
#include "syntax/parser.h"

namespace tofu::config {

class Module final : public addrs::ParseRefContext {
 public:
  std::string directory;  // as shown to people; also what path.module says

  std::vector<VersionRequirement> version_requirements;
  features::FeatureSet active_features;

  std::optional<Backend> backend;
  std::optional<Cloud> cloud;
  std::optional<Encryption> encryption;
  base::Named<RequiredProvider> required_providers;  // by local name, implied ones not included
  std::optional<diag::SourceRange> required_providers_range;  // of the block's header
  base::Named<ProviderConfig> provider_configs;               // by "name" or "name.alias"
  base::Named<ProviderMeta> provider_metas;                   // by provider address

  base::Named<Variable> variables;
  base::Named<Local> locals;
  base::Named<Output> outputs;
  base::Named<ModuleCall> module_calls;
  base::Named<Resource> managed_resources;    // by "type.name"
  base::Named<Resource> data_resources;       // by "type.name"; those in checks included
  base::Named<Resource> ephemeral_resources;  // by "type.name"
  base::Named<Check> checks;
  base::Named<symbols::SymbolsImport> symbols;
  std::vector<Moved> moved;
  std::vector<Removed> removed;
  std::vector<Import> imports;

  // The provider that a local name stands for: as required_providers says, or
  // implied by the name.
  addrs::Provider provider_for(std::string_view local_name) const;
  // The local name of a provider here; its type if the module has given it none.
  std::string local_name_of(const addrs::Provider& provider) const;

  base::Named<Resource>& resources(addrs::ResourceMode mode);
  const base::Named<Resource>& resources(addrs::ResourceMode mode) const;
  const Resource* resource(const addrs::Resource& address) const;
  // The key of a resource among those of its mode.
  static std::string resource_key(std::string_view type, std::string_view name);

  // The header of the top-level block that a place of this module stands in, such
  // as `resource "a" "b"`; what a diagnostic's `in` shows. Empty if there is none.
  std::string block_around(diag::SourceRange place) const;
  // Fills in `in` wherever it is empty and the place is in this module.
  void name_blocks(std::span<diag::Diagnostic> diagnostics) const;

  bool feature_enabled(features::Feature feature) const override;
  bool has_any_managed_resource_of_type(std::string_view type) const override;
  bool has_managed_resource(std::string_view type, std::string_view name) const override;

  // Keeps a file alive for as long as the module: everything above points into
  // files. `part_of` is the place of the text if it is a piece of another file.
  const syntax::File& keep(std::unique_ptr<syntax::File> file,
                           std::optional<diag::SourceRange> part_of = std::nullopt);
  const std::vector<std::unique_ptr<syntax::File>>& files() const { return files_; }
  // Literals of the files belong to the process from now on (ConstantPool::make_immortal).
  void keep_literals_forever() const;
  // For generated expressions, made while declaring.
  syntax::File& scratch() { return *scratch_; }
  void note_managed_type(std::string_view type) { managed_types_.emplace(type); }

 private:
  std::vector<std::unique_ptr<syntax::File>> files_;
  std::unique_ptr<syntax::File> scratch_ = std::make_unique<syntax::File>();
  std::unordered_map<std::uint32_t, const syntax::File*> files_by_id_;
  std::unordered_map<std::uint32_t, diag::SourceRange> pieces_;
  std::set<std::string, std::less<>> managed_types_;
};

}  // namespace tofu::config
