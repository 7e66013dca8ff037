#include <fmt/format.h>

#include "config/block_reader.h"
#include "features/editions.h"
#include "features/experiments.h"
#include "syntax/analysis.h"
#include "syntax/block_reading.h"
#include "syntax/eval.h"

namespace tofu::config {

namespace {

// Names in a terraform block of a .tf file may be meant for the other tool, so
// those that we do not know say nothing there.
enum class UnknownNames : bool { Refused, Ignored };

std::string edition_names() {
  std::string names;
  for (const features::Edition& edition : features::all_editions()) {
    if (!names.empty()) names += ", ";
    names += edition.name;
  }
  return names;
}

void select_edition(BlockReader& block_reader, const syntax::Expr& expr, UnknownNames unknown) {
  const std::string_view word = syntax::keyword(expr);
  if (const features::Edition* edition = features::find_edition(word)) {
    block_reader.module.active_features.add(edition->pack);
    return;
  }
  if (unknown == UnknownNames::Ignored) return;
  block_reader.diags
      .error(word.empty() ? "Invalid language edition" : "Unsupported language edition")
      .detail(
          word.empty()
              ? fmt::format("A language edition is a word without quotes. Supported editions: {}.",
                            edition_names())
              : fmt::format("The edition {} is not supported. Supported editions: {}. The module "
                            "may require another version.",
                            word, edition_names()))
      .at(expr.range);
}

void select_experiments(BlockReader& block_reader, const syntax::Expr& expr, UnknownNames unknown) {
  diag::Diagnostics ignored;
  const bool ignore = unknown == UnknownNames::Ignored;
  const auto items = syntax::as_list(expr, ignore ? ignored : block_reader.diags);
  if (!items) return;
  for (const syntax::Expr* item : *items) {
    const std::string_view word = syntax::keyword(*item);
    if (ignore && features::find_row(word) == nullptr) continue;
    if (word.empty()) {
      block_reader.diags.error("Invalid experiment keyword")
          .detail("The elements of \"experiments\" must be words without quotes.")
          .at(item->range);
      continue;
    }
    features::opt_into_experiment(word, item->range, features::experiments_of_this_build(),
                                  block_reader.module.active_features, block_reader.diags);
  }
}

const syntax::BodySchema& compatible_with_schema() {
  static const syntax::BodySchema kSchema = syntax::schema_of({"opentofu"});
  return kSchema;
}

// The constraint of a compatible_with block. Other names in it are for other
// programs. Nothing if there is none or it is wrong.
struct Compatible {
  addrs::Constraints constraints;
  diag::SourceRange range;
};
std::optional<Compatible> read_compatible(BlockReader& block_reader, const syntax::Block& block) {
  const auto read = block.body.partial_content(compatible_with_schema(), block_reader.diags);
  const auto* attribute = read.content.attribute("opentofu");
  if (attribute == nullptr) return std::nullopt;
  auto constraints = constant_constraints(block_reader, *attribute, block_reader.diags);
  if (!constraints) return std::nullopt;
  return Compatible{std::move(*constraints), attribute->range};
}

void gather_language(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of({}, {{"compatible_with", {}}});
  const auto read = block.body.partial_content(kSchema, block_reader.diags);
  for (const syntax::Block& inner : read.content.blocks) {
    if (auto compatible = read_compatible(block_reader, inner)) {
      block_reader.module.version_requirements.push_back(
          {std::move(compatible->constraints), VersionKind::Tofu, compatible->range, {}});
    }
  }
}

// Whether the parser could not read an expression. A constraint that is null is one that
// was not given; of one that cannot be read only what kind it is counts.
bool is_unreadable(const syntax::Expr& expr) {
  diag::Diagnostics ignored;
  const auto v = syntax::evaluate(expr, nullptr, ignored);
  return !v || v->is_unknown();
}

// `required_version` of a terraform or tofu block.
void gather_required(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = syntax::schema_of({"required_version"});
  const bool for_us = block.type == "tofu" || block_reader.is_tofu_file;
  diag::Diagnostics later;  // a constraint for the other tool may never be looked at
  diag::Diagnostics& diags = for_us ? block_reader.diags : later;
  const auto read = block.body.partial_content(kSchema, diags);
  const auto* attribute = read.content.attribute("required_version");
  if (attribute == nullptr) return;
  auto constraints = constant_constraints(block_reader, *attribute, diags);
  if (for_us && !constraints) return;
  if (constraints && constraints->empty() && !(for_us && is_unreadable(*attribute->expr))) return;
  VersionRequirement requirement;
  requirement.kind = for_us ? VersionKind::Tofu : VersionKind::Terraform;
  requirement.range = attribute->range;
  if (constraints) requirement.constraints = std::move(*constraints);
  requirement.problems.assign(later.items().begin(), later.items().end());
  block_reader.module.version_requirements.push_back(std::move(requirement));
}

}  // namespace

void gather_versions(BlockReader& block_reader, const syntax::Body& file) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({}, {{"terraform", {}}, {"tofu", {}}, {"language", {}}});
  diag::Diagnostics ignored;  // reading the whole file reports the same errors
  const auto read = file.partial_content(kSchema, ignored);
  for (const syntax::Block& block : read.content.blocks) {
    if (block.type == "language") {
      gather_language(block_reader, block);
    } else {
      gather_required(block_reader, block);
    }
  }
}

void read_language(BlockReader& block_reader, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      syntax::schema_of({"edition", "experiments"}, {{"compatible_with", {}}});
  if (block_reader.is_override) {
    block_reader.diags.error("Language selections in override file")
        .detail("Set the language in a file that is not an override file.")
        .at(block.range);
    return;
  }
  const syntax::Content content = block.body.content(kSchema, block_reader.diags);
  if (const auto* attribute = content.attribute("edition")) {
    select_edition(block_reader, *attribute->expr, UnknownNames::Refused);
  }
  if (const auto* attribute = content.attribute("experiments")) {
    select_experiments(block_reader, *attribute->expr, UnknownNames::Refused);
  }
  std::optional<diag::SourceRange> first;
  for (const syntax::Block& inner : content.blocks) {
    if (first) {
      block_reader.diags.error("Duplicate compatible_with block")
          .detail(fmt::format(
              "A language block can have only one compatible_with block. The first one is at {}.",
              block_reader.where(*first)))
          .at(block.range);
      continue;
    }
    const auto compatible = read_compatible(block_reader, inner);
    if (!compatible) continue;
    first = compatible->range;
    if (compatible->constraints.allows(addrs::Version(1, 11, 0))) {
      block_reader.diags.warning("Ineffective version constraint")
          .detail(
              "Versions before 1.12.0 do not support compatible_with blocks, so the constraint "
              "must exclude them. For older versions, use required_version in a terraform block of "
              "a .tofu file.")
          .at(compatible->range);
    }
  }
}

void read_language_arguments(BlockReader& block_reader, const syntax::Content& content,
                             std::string_view block_type) {
  const bool for_us = block_type == "tofu" || block_reader.is_tofu_file;
  const UnknownNames unknown = for_us ? UnknownNames::Refused : UnknownNames::Ignored;
  if (const auto* attribute = content.attribute("language")) {
    select_edition(block_reader, *attribute->expr, unknown);
  }
  if (const auto* attribute = content.attribute("experiments")) {
    select_experiments(block_reader, *attribute->expr, unknown);
  }
}

}  // namespace tofu::config
