#include <fmt/format.h>
#include <utility>

#include "addrs/provider.h"
#include "base/unicode.h"
#include "config/block_reader.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"

namespace tofu::config {

namespace {

void read_alias(BlockReader& block_reader, const syntax::Attribute& attribute,
                ProviderConfig& provider) {
  provider.alias = syntax::constant_string(*attribute.expr, block_reader.diags).value_or("");
  provider.alias_range = attribute.expr->range;
  if (base::is_identifier(provider.alias)) return;
  // Without a place, as OpenTofu has it.
  block_reader.diags.error("Invalid provider configuration alias")
      .detail(
          "An alias must start with a letter or underscore and can contain only letters, digits, "
          "underscores and dashes.");
}

void read_version(BlockReader& block_reader, const syntax::Attribute& attribute,
                  ProviderConfig& provider) {
  block_reader.diags
      .warning("Version constraints inside provider configuration blocks are deprecated")
      .detail("Move this version constraint to the required_providers block.")
      .at(attribute.expr->range);
  provider.version = constant_constraints(block_reader, attribute, block_reader.diags);
  provider.version_range = attribute.range;
}

bool is_reserved(std::string_view argument) {
  return argument == "count" || argument == "depends_on" || argument == "source";
}

// One entry of required_providers.
class EntryReader {
 public:
  EntryReader(BlockReader& block_reader, const syntax::Attribute& attribute)
      : reading_(block_reader), attribute_(attribute) {
    entry_.name = attribute.name;
    entry_.range = attribute.expr->range;
  }

  // Nothing if it cannot be added.
  std::optional<RequiredProvider> read();

 private:
  bool read_short();
  bool read_item(const syntax::ObjectItem& item);
  void read_version(const syntax::Expr& expr);
  void read_source(const syntax::Expr& expr);
  void read_aliases(const syntax::Expr& expr);
  bool imply_provider();
  void refuse(std::string summary, std::string detail, diag::SourceRange at) {
    reading_.diags.error(std::move(summary)).detail(std::move(detail)).at(at);
  }

  BlockReader& reading_;
  const syntax::Attribute& attribute_;
  RequiredProvider entry_;
  bool has_source_ = false;
};

bool EntryReader::imply_provider() {
  auto part = addrs::parse_provider_part(entry_.name);
  if (!part) {
    refuse("Invalid provider name", fmt::format("{}.", part.error().what), entry_.range);
    return false;
  }
  entry_.provider = addrs::implied_provider(std::move(*part));
  return true;
}

// The old form, where only a version is given.
bool EntryReader::read_short() {
  entry_.constraints = constant_constraints(reading_, attribute_, reading_.diags);
  return imply_provider();
}

void EntryReader::read_version(const syntax::Expr& expr) {
  diag::Diagnostics ignored;
  const auto text = syntax::evaluate(expr, nullptr, ignored);
  if (!text || text->kind() != value::Kind::String) {
    return refuse("Invalid version constraint", "The version must be a string.", expr.range);
  }
  auto constraints = addrs::Constraints::parse(text->plain().as_string());
  if (!constraints) {
    return refuse(
        "Invalid version constraint",
        fmt::format("{}. Write a constraint such as \"~> 1.2\".", constraints.error().what),
        expr.range);
  }
  entry_.constraints = std::move(*constraints);
}

void EntryReader::read_source(const syntax::Expr& expr) {
  diag::Diagnostics ignored;
  const auto text = syntax::evaluate(expr, nullptr, ignored);
  if (!text || text->kind() != value::Kind::String) {
    return refuse("Invalid provider source", "The source must be a string.", expr.range);
  }
  auto provider =
      addrs::parse_provider_source(text->plain().as_string(), expr.range, reading_.diags);
  if (!provider) return;
  entry_.source = text->plain().as_string();
  entry_.provider = std::move(*provider);
  has_source_ = true;
}

void EntryReader::read_aliases(const syntax::Expr& list) {
  const auto items = syntax::as_list(list, reading_.diags);
  if (!items) return;
  for (const syntax::Expr* item : *items) {
    const auto traversal = syntax::as_traversal(*item, reading_.diags);
    if (!traversal) continue;
    // The steps after the alias are ignored, as in OpenTofu.
    const bool has_shape =
        traversal->steps.empty() || traversal->steps[0].kind == syntax::StepKind::Attribute;
    if (!has_shape) {
      refuse("Invalid configuration_aliases value",
             "A configuration alias has the form provider.alias.", list.range);
    } else if (traversal->root != entry_.name) {
      refuse("Invalid configuration_aliases value",
             fmt::format(
                 "A configuration alias must begin with the provider's local name: {}, not {}.",
                 entry_.name, traversal->root),
             list.range);
    } else {
      const bool has_alias = !traversal->steps.empty();
      entry_.aliases.push_back(
          {entry_.name, has_alias ? std::string(traversal->steps[0].name) : std::string()});
    }
  }
}

// False if the rest of the entry is not worth reading.
bool EntryReader::read_item(const syntax::ObjectItem& item) {
  const auto key = syntax::evaluate(*item.key, nullptr, reading_.diags);
  if (!key) return true;
  if (key->kind() != value::Kind::String) {
    refuse("Invalid required_providers object", "The argument name must be a word.",
           item.key->range);
    return true;
  }
  const std::string_view name = key->plain().as_string();
  if (name == "version") {
    read_version(*item.value);
  } else if (name == "source") {
    read_source(*item.value);
  } else if (name == "configuration_aliases") {
    read_aliases(*item.value);
  } else {
    refuse("Invalid required_providers object",
           fmt::format("Unsupported argument \"{}\". The supported arguments are source, version "
                       "and configuration_aliases. Configure providers in provider blocks.",
                       name),
           item.key->range);
    return false;
  }
  return true;
}

std::optional<RequiredProvider> EntryReader::read() {
  diag::Diagnostics ignored;
  const auto constant = syntax::evaluate(*attribute_.expr, nullptr, ignored);
  if (constant && constant->type().is_primitive()) {
    if (!read_short()) return std::nullopt;
    return std::move(entry_);
  }
  if (!check_provider_name(reading_, entry_.name, entry_.range)) return std::nullopt;
  const auto items = syntax::as_map(*attribute_.expr, ignored);
  if (!items) {
    refuse("Invalid required_providers object",
           "A provider requirement is an object with source and version, or a version string.",
           entry_.range);
    return std::nullopt;
  }
  const std::size_t errors_before = reading_.diags.error_count();
  for (const syntax::ObjectItem& item : *items) {
    if (!read_item(item)) break;
  }
  if (reading_.diags.error_count() != errors_before) return std::nullopt;
  if (!has_source_ && !imply_provider()) return std::nullopt;
  return std::move(entry_);
}

}  // namespace

std::optional<ProviderConfig> read_provider(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"alias", "version", "for_each", "count", "depends_on", "source"},
                        {{"_", {}}, {"lifecycle", {}}, {"locals", {}}});
  syntax::PartialContent read = block.body.partial_content(kSchema, block_reader.diags);
  const syntax::Label& label = block.labels[0];
  if (!check_provider_name(block_reader, label.text, block.range)) return std::nullopt;
  ProviderConfig provider;
  provider.name = label.text;
  provider.name_range = label.range;
  provider.config = std::move(read.remaining);
  provider.range = block.range;
  for (const syntax::Attribute& attribute : read.content.attributes) {
    if (attribute.name == "alias") {
      read_alias(block_reader, attribute, provider);
    } else if (attribute.name == "version") {
      read_version(block_reader, attribute, provider);
    } else if (attribute.name == "for_each") {
      provider.for_each = attribute.expr;
    } else if (is_reserved(attribute.name)) {
      block_reader.diags.error("Reserved argument name in provider block")
          .detail(fmt::format(
              "The argument name \"{}\" is reserved for a future version of the language.",
              attribute.name))
          .at(attribute.name_range);
    }
  }
  if (provider.alias.empty() && provider.for_each != nullptr) {
    block_reader.diags.error("Missing provider alias")
        .detail("for_each in a provider block requires an alias.")
        .at(provider.for_each->range);
  }
  OnlyOne escape;
  for (const syntax::Block& inner : read.content.blocks) {
    if (inner.type != "_") {
      report_reserved_block(block_reader, inner, "provider");
    } else if (escape.admit(block_reader, inner,
                            "A provider block can have only one \"_\" block.")) {
      provider.config = syntax::Body::joined(std::move(provider.config), inner.body);
    }
  }
  return provider;
}

std::optional<ProviderMeta> read_provider_meta(BlockReader& block_reader,
                                               const syntax::Block& block) {
  const std::size_t errors_before = block_reader.diags.error_count();
  const std::vector<syntax::Attribute> attributes = block.body.just_attributes(block_reader.diags);
  if (block_reader.diags.error_count() != errors_before) return std::nullopt;
  for (const syntax::Attribute& attribute : attributes) {
    syntax::evaluate(*attribute.expr, nullptr, block_reader.diags);  // only constants are possible
  }
  const syntax::Label& label = block.labels[0];
  check_provider_name(block_reader, label.text, block.range);
  if (block_reader.diags.error_count() != errors_before) return std::nullopt;
  return ProviderMeta{std::string(label.text), block.body, label.range, block.range};
}

std::vector<RequiredProvider> read_required_providers(BlockReader& block_reader,
                                                      const syntax::Block& block) {
  std::vector<RequiredProvider> entries;
  const std::size_t errors_before = block_reader.diags.error_count();
  const std::vector<syntax::Attribute> attributes = block.body.just_attributes(block_reader.diags);
  if (block_reader.diags.error_count() != errors_before) return entries;
  for (const syntax::Attribute& attribute : attributes) {
    if (auto entry = EntryReader(block_reader, attribute).read())
      entries.push_back(std::move(*entry));
  }
  return entries;
}

}  // namespace tofu::config
