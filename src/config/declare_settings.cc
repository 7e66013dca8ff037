#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "config/module_builder.h"
#include "diag/place_text.h"
#include "features/features.h"
#include "symbols/symbols_import.h"
#include "syntax/block_reading.h"

namespace tofu::config {

namespace {

const syntax::BodySchema& settings_schema() {
  static const syntax::BodySchema kSchema = syntax::schema_of(
      {"required_version", "experiments", "language"}, {{"backend", {"type"}},
                                                        {"cloud", {}},
                                                        {"required_providers", {}},
                                                        {"provider_meta", {"provider"}},
                                                        {"encryption", {}}});
  return kSchema;
}

}  // namespace

void ModuleBuilder::read_settings(const Open& file) {
  BlockReader reader = block_reader(file);
  override_backend_.reset();
  override_cloud_.reset();
  override_encryption_.reset();
  std::string_view noted;  // one resource mostly has the type of the one before
  for (const syntax::Block& block : file.content.blocks) {
    if (block.type == "terraform" || block.type == "tofu") {
      read_settings_block(reader, block);
    } else if (block.type == "language") {
      read_language(reader, block);
    } else if (block.type == "required_providers") {
      diags_.error("Misplaced required_providers block")
          .detail("A required_providers block must be inside a terraform block.")
          .at(block.type_range);
    } else if (block.type == "symbols") {
      add_symbols(reader, block);
    } else if (block.type == "resource" && !file.is_override) {
      if (block.labels[0].text == noted) continue;
      noted = block.labels[0].text;
      module_.note_managed_type(noted);
    }
  }
  // Once more for each file that follows, as OpenTofu has it, but not without end.
  if (module_.backend && module_.cloud && !file.is_override && reported_both_++ < kMaxRepeats) {
    diags_.error("Both a backend and a cloud configuration are present")
        .detail(fmt::format("A module can store its state in only one place. Remove either the "
                            "backend or the cloud block, which is at {}.",
                            reader.where(module_.cloud->range)))
        .at(module_.backend->range);
  }
}

void ModuleBuilder::read_settings_block(BlockReader& block_reader, const syntax::Block& block) {
  const syntax::Content content = block.body.content(settings_schema(), block_reader.diags);
  read_language_arguments(block_reader, content, block.type);
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "backend") {
      add_backend(block_reader, inner);
    } else if (inner.type == "cloud") {
      add_cloud(block_reader, inner);
    } else if (inner.type == "encryption") {
      add_encryption(block_reader, inner);
    } else if (inner.type == "required_providers") {
      add_required_providers(block_reader, inner);
    } else if (inner.type == "provider_meta") {
      add_provider_meta(block_reader, inner);
    }
  }
}

bool ModuleBuilder::comes_first(BlockReader& block_reader, std::string_view what,
                                const std::optional<diag::SourceRange>& earlier,
                                diag::SourceRange at) {
  if (!earlier) return true;
  block_reader.diags.error(fmt::format("Duplicate {} configuration", what))
      .detail(fmt::format("{} can have only one {} block, across all terraform and tofu blocks. "
                          "The first one is at {}.",
                          block_reader.is_override ? "An override file" : "A module", what,
                          block_reader.where(*earlier)))
      .at(at);
  return false;
}

void ModuleBuilder::add_backend(BlockReader& block_reader, const syntax::Block& block) {
  Backend backend{std::string(block.labels[0].text), block.body, block.labels[0].range,
                  block.range};
  if (block_reader.is_override) {
    if (!comes_first(block_reader, "backend", override_backend_, block.range)) return;
    override_backend_ = block.range;
    module_.cloud.reset();  // the two exclude each other, and an override wins
  } else {
    std::optional<diag::SourceRange> earlier;
    if (module_.backend) earlier = module_.backend->range;
    if (!comes_first(block_reader, "backend", earlier, block.range)) return;
  }
  module_.backend = std::move(backend);
}

void ModuleBuilder::add_cloud(BlockReader& block_reader, const syntax::Block& block) {
  if (block_reader.is_override) {
    if (!comes_first(block_reader, "cloud", override_cloud_, block.range)) return;
    override_cloud_ = block.range;
    module_.backend.reset();
  } else {
    std::optional<diag::SourceRange> earlier;
    if (module_.cloud) earlier = module_.cloud->range;
    if (!comes_first(block_reader, "cloud", earlier, block.range)) return;
  }
  module_.cloud = Cloud{block.body, block.range};
}

void ModuleBuilder::add_encryption(BlockReader& block_reader, const syntax::Block& block) {
  auto encryption = read_encryption(block.body, block.range, block_reader.diags);
  if (!encryption) return;
  if (block_reader.is_override) {
    if (!comes_first(block_reader, "encryption", override_encryption_, block.range)) return;
    override_encryption_ = block.range;
    module_.encryption = module_.encryption ? merge_encryption(std::move(*module_.encryption),
                                                               std::move(*encryption))
                                            : std::move(*encryption);
    return;
  }
  std::optional<diag::SourceRange> earlier;
  if (module_.encryption) earlier = module_.encryption->range;
  if (!comes_first(block_reader, "encryption", earlier, block.range)) return;
  module_.encryption = std::move(*encryption);
}

void ModuleBuilder::add_required_providers(BlockReader& block_reader, const syntax::Block& block) {
  std::vector<RequiredProvider> entries = read_required_providers(block_reader, block);
  if (!block_reader.is_override) {
    if (!comes_first(block_reader, "required_providers", module_.required_providers_range,
                     block.range)) {
      return;
    }
    module_.required_providers_range = block.range;
  }
  for (RequiredProvider& entry : entries) {
    std::string name = entry.name;
    module_.required_providers.put(std::move(name), std::move(entry));
  }
}

void ModuleBuilder::add_provider_meta(BlockReader& block_reader, const syntax::Block& block) {
  auto meta = read_provider_meta(block_reader, block);
  // In an override file it is read and passed over, as OpenTofu does.
  if (!meta || block_reader.is_override) return;
  pending_metas_.push_back(std::move(*meta));
}

void ModuleBuilder::finish_settings() {
  // Not before all required_providers are known: two local names may stand for one
  // provider.
  for (ProviderMeta& meta : pending_metas_) {
    std::string provider = module_.provider_for(meta.name).to_string();
    if (const ProviderMeta* first = module_.provider_metas.find(provider)) {
      diags_.error("Duplicate provider_meta block")
          .detail(fmt::format("The provider {} already has a provider_meta block at {}.", provider,
                              diag::place_text(sources_, first->range)))
          .at(meta.range);
    }
    module_.provider_metas.put(std::move(provider), std::move(meta));
  }
}

void ModuleBuilder::add_symbols(BlockReader& block_reader, const syntax::Block& block) {
  if (block_reader.is_override) {
    const symbols::SymbolsImport override = symbols::read_symbols(block, block_reader.diags);
    symbols::SymbolsImport* base = module_.symbols.find(override.name);
    if (base == nullptr) {
      return report_missing_base(block_reader, fmt::format("symbols \"{}\"", override.name),
                                 override.range);
    }
    // A version belongs to its source.
    if (override.source != nullptr) *base = override;
    return;
  }
  module_.active_features.add(features::Feature::SymbolLibraries);
  symbols::SymbolsImport symbols = symbols::read_symbols(block, block_reader.diags);
  add_named(block_reader, module_.symbols, std::move(symbols), "Symbol library");
}

}  // namespace tofu::config
