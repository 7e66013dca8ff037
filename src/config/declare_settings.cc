#include <fmt/format.h>
#include <string_view>
#include <utility>

#include "config/declaring.h"
#include "features/features.h"

namespace tofu::config {

namespace {

const syntax::BodySchema& settings_schema() {
  static const syntax::BodySchema kSchema =
      schema_of({"required_version", "experiments", "language"}, {{"backend", {"type"}},
                                                                  {"cloud", {}},
                                                                  {"required_providers", {}},
                                                                  {"provider_meta", {"provider"}},
                                                                  {"encryption", {}}});
  return kSchema;
}

}  // namespace

void Declaring::read_settings(const Open& file) {
  Reading reader = reading(file);
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
          .detail("A required_providers block belongs inside a terraform block.")
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
  if (module_.backend && module_.cloud && !file.is_override && told_of_both_++ < kMostRepeats) {
    diags_.error("Both a backend and a cloud block")
        .detail(fmt::format("State is kept in one place: remove either the backend or the cloud "
                            "block, which is at {}.",
                            reader.where(module_.cloud->range)))
        .at(module_.backend->range);
  }
}

void Declaring::read_settings_block(Reading& reading, const syntax::Block& block) {
  const syntax::Content content = block.body.content(settings_schema(), reading.diags);
  read_language_arguments(reading, content, block.type);
  for (const syntax::Block& inner : content.blocks) {
    if (inner.type == "backend") {
      add_backend(reading, inner);
    } else if (inner.type == "cloud") {
      add_cloud(reading, inner);
    } else if (inner.type == "encryption") {
      add_encryption(reading, inner);
    } else if (inner.type == "required_providers") {
      add_required_providers(reading, inner);
    } else if (inner.type == "provider_meta") {
      add_provider_meta(reading, inner);
    }
  }
}

bool Declaring::comes_first(Reading& reading, std::string_view what,
                            const std::optional<diag::SourceRange>& earlier, diag::SourceRange at) {
  if (!earlier) return true;
  reading.diags.error(fmt::format("More than one {} block", what))
      .detail(fmt::format(
          "{} can have one {} block, in all its terraform and tofu blocks together. "
          "The first one is at {}.",
          reading.is_override ? "An override file" : "A module", what, reading.where(*earlier)))
      .at(at);
  return false;
}

void Declaring::add_backend(Reading& reading, const syntax::Block& block) {
  Backend backend{std::string(block.labels[0].text), block.body, block.labels[0].range,
                  block.range};
  if (reading.is_override) {
    if (!comes_first(reading, "backend", override_backend_, block.range)) return;
    override_backend_ = block.range;
    module_.cloud.reset();  // the two exclude each other, and an override wins
  } else {
    std::optional<diag::SourceRange> earlier;
    if (module_.backend) earlier = module_.backend->range;
    if (!comes_first(reading, "backend", earlier, block.range)) return;
  }
  module_.backend = std::move(backend);
}

void Declaring::add_cloud(Reading& reading, const syntax::Block& block) {
  if (reading.is_override) {
    if (!comes_first(reading, "cloud", override_cloud_, block.range)) return;
    override_cloud_ = block.range;
    module_.backend.reset();
  } else {
    std::optional<diag::SourceRange> earlier;
    if (module_.cloud) earlier = module_.cloud->range;
    if (!comes_first(reading, "cloud", earlier, block.range)) return;
  }
  module_.cloud = Cloud{block.body, block.range};
}

void Declaring::add_encryption(Reading& reading, const syntax::Block& block) {
  auto encryption = read_encryption(block.body, block.range, reading.diags);
  if (!encryption) return;
  if (reading.is_override) {
    if (!comes_first(reading, "encryption", override_encryption_, block.range)) return;
    override_encryption_ = block.range;
    module_.encryption = module_.encryption ? merge_encryption(std::move(*module_.encryption),
                                                               std::move(*encryption))
                                            : std::move(*encryption);
    return;
  }
  std::optional<diag::SourceRange> earlier;
  if (module_.encryption) earlier = module_.encryption->range;
  if (!comes_first(reading, "encryption", earlier, block.range)) return;
  module_.encryption = std::move(*encryption);
}

void Declaring::add_required_providers(Reading& reading, const syntax::Block& block) {
  std::vector<RequiredProvider> entries = read_required_providers(reading, block);
  if (!reading.is_override) {
    if (!comes_first(reading, "required_providers", module_.required_providers_range,
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

void Declaring::add_provider_meta(Reading& reading, const syntax::Block& block) {
  auto meta = read_provider_meta(reading, block);
  // In an override file it is read and passed over, as OpenTofu does.
  if (!meta || reading.is_override) return;
  pending_metas_.push_back(std::move(*meta));
}

void Declaring::finish_settings() {
  // Not before all required_providers are known: two local names may stand for one
  // provider.
  for (ProviderMeta& meta : pending_metas_) {
    std::string provider = module_.provider_for(meta.name).to_string();
    if (const ProviderMeta* first = module_.provider_metas.find(provider)) {
      diags_.error("More than one provider_meta block for a provider")
          .detail(fmt::format("The provider {} already has one at {}.", provider,
                              place_text(sources_, first->range)))
          .at(meta.range);
    }
    module_.provider_metas.put(std::move(provider), std::move(meta));
  }
}

void Declaring::add_symbols(Reading& reading, const syntax::Block& block) {
  if (reading.is_override) {
    reading.diags.error("A symbols block in an override file")
        .detail("Symbol libraries are imported in ordinary files only.")
        .at(block.range);
    return;
  }
  module_.active_features.add(features::Feature::SymbolLibraries);
  SymbolsImport symbols = read_symbols(block, reading.diags);
  add_named(reading, module_.symbols, std::move(symbols), "Symbol library");
}

}  // namespace tofu::config
