#include <fmt/format.h>

#include "config/reading.h"
#include "features/editions.h"
#include "features/experiments.h"
#include "syntax/analysis.h"
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

void select_edition(Reading& reading, const syntax::Expr& expr, UnknownNames unknown) {
  const std::string_view word = syntax::keyword(expr);
  if (const features::Edition* edition = features::find_edition(word)) {
    reading.module.active_features.add(edition->pack);
    return;
  }
  if (unknown == UnknownNames::Ignored) return;
  reading.diags.error(word.empty() ? "Invalid language edition" : "Unknown language edition")
      .detail(word.empty()
                  ? fmt::format("An edition is a bare word. This version has: {}.", edition_names())
                  : fmt::format("This version has no edition {}, only: {}. The module may need "
                                "another version.",
                                word, edition_names()))
      .at(expr.range);
}

void select_experiments(Reading& reading, const syntax::Expr& expr, UnknownNames unknown) {
  diag::Diagnostics ignored;
  const bool ignore = unknown == UnknownNames::Ignored;
  const auto items = syntax::as_list(expr, ignore ? ignored : reading.diags);
  if (!items) return;
  for (const syntax::Expr* item : *items) {
    const std::string_view word = syntax::keyword(*item);
    if (ignore && features::find_row(word) == nullptr) continue;
    if (word.empty()) {
      reading.diags.error("Invalid name of an experiment")
          .detail("The elements of \"experiments\" are bare words.")
          .at(item->range);
      continue;
    }
    features::opt_into_experiment(word, item->range, features::experiments_of_this_build(),
                                  reading.module.active_features, reading.diags);
  }
}

const syntax::BodySchema& compatible_with_schema() {
  static const syntax::BodySchema kSchema = schema_of({"opentofu"});
  return kSchema;
}

// The constraint of a compatible_with block. Other names in it are for other
// programs. Nothing if there is none or it is wrong.
struct Compatible {
  Constraints constraints;
  diag::SourceRange range;
};
std::optional<Compatible> read_compatible(Reading& reading, const syntax::Block& block) {
  const auto read = block.body.partial_content(compatible_with_schema(), reading.diags);
  const auto* attribute = read.content.attribute("opentofu");
  if (attribute == nullptr) return std::nullopt;
  auto constraints = constant_constraints(reading, *attribute, reading.diags);
  if (!constraints) return std::nullopt;
  return Compatible{std::move(*constraints), attribute->range};
}

void gather_language(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = schema_of({}, {{"compatible_with", {}}});
  const auto read = block.body.partial_content(kSchema, reading.diags);
  for (const syntax::Block& inner : read.content.blocks) {
    if (auto compatible = read_compatible(reading, inner)) {
      reading.module.version_requirements.push_back(
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
void gather_required(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema = schema_of({"required_version"});
  const bool for_us = block.type == "tofu" || reading.is_tofu_file;
  diag::Diagnostics later;  // a constraint for the other tool may never be looked at
  diag::Diagnostics& diags = for_us ? reading.diags : later;
  const auto read = block.body.partial_content(kSchema, diags);
  const auto* attribute = read.content.attribute("required_version");
  if (attribute == nullptr) return;
  auto constraints = constant_constraints(reading, *attribute, diags);
  if (for_us && !constraints) return;
  if (constraints && constraints->empty() && !(for_us && is_unreadable(*attribute->expr))) return;
  VersionRequirement requirement;
  requirement.kind = for_us ? VersionKind::Tofu : VersionKind::Terraform;
  requirement.range = attribute->range;
  if (constraints) requirement.constraints = std::move(*constraints);
  requirement.problems.assign(later.items().begin(), later.items().end());
  reading.module.version_requirements.push_back(std::move(requirement));
}

}  // namespace

void gather_versions(Reading& reading, const syntax::Body& file) {
  static const syntax::BodySchema kSchema =
      schema_of({}, {{"terraform", {}}, {"tofu", {}}, {"language", {}}});
  diag::Diagnostics ignored;  // whoever reads the whole file reports the same mistakes
  const auto read = file.partial_content(kSchema, ignored);
  for (const syntax::Block& block : read.content.blocks) {
    if (block.type == "language") {
      gather_language(reading, block);
    } else {
      gather_required(reading, block);
    }
  }
}

void read_language(Reading& reading, const syntax::Block& block) {
  static const syntax::BodySchema kSchema =
      schema_of({"edition", "experiments"}, {{"compatible_with", {}}});
  if (reading.is_override) {
    reading.diags.error("A language block in an override file")
        .detail("What language a module is written in is said in one of its ordinary files.")
        .at(block.range);
    return;
  }
  const syntax::Content content = block.body.content(kSchema, reading.diags);
  if (const auto* attribute = content.attribute("edition")) {
    select_edition(reading, *attribute->expr, UnknownNames::Refused);
  }
  if (const auto* attribute = content.attribute("experiments")) {
    select_experiments(reading, *attribute->expr, UnknownNames::Refused);
  }
  std::optional<diag::SourceRange> first;
  for (const syntax::Block& inner : content.blocks) {
    if (first) {
      reading.diags.error("More than one compatible_with block")
          .detail(fmt::format("A language block names the versions of OpenTofu once; it did so at "
                              "{}.",
                              reading.where(*first)))
          .at(block.range);
      continue;
    }
    const auto compatible = read_compatible(reading, inner);
    if (!compatible) continue;
    first = compatible->range;
    if (compatible->constraints.allows(Version(1, 11, 0))) {
      reading.diags.warning("Version constraint without effect")
          .detail(
              "Versions before 1.12.0 do not know compatible_with blocks, so the constraint "
              "has to exclude them. For older versions use required_version in a terraform "
              "block of a .tofu file.")
          .at(compatible->range);
    }
  }
}

void read_language_arguments(Reading& reading, const syntax::Content& content,
                             std::string_view block_type) {
  const bool for_us = block_type == "tofu" || reading.is_tofu_file;
  const UnknownNames unknown = for_us ? UnknownNames::Refused : UnknownNames::Ignored;
  if (const auto* attribute = content.attribute("language")) {
    select_edition(reading, *attribute->expr, unknown);
  }
  if (const auto* attribute = content.attribute("experiments")) {
    select_experiments(reading, *attribute->expr, unknown);
  }
}

SymbolsImport read_symbols(const syntax::Block& block, diag::Diagnostics& diags) {
  static const syntax::BodySchema kSchema =
      with_required(schema_of({"source", "version"}), {"source"});
  const syntax::Content content = block.body.content(kSchema, diags);
  check_identifier(block.labels[0], "symbol library name", diags);
  SymbolsImport symbols;
  symbols.name = block.labels[0].text;
  symbols.name_range = block.labels[0].range;
  symbols.range = block.range;
  if (const auto* attribute = content.attribute("source")) symbols.source = attribute->expr;
  if (const auto* attribute = content.attribute("version")) symbols.version = attribute->expr;
  return symbols;
}

}  // namespace tofu::config
