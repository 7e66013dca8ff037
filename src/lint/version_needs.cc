#include "lint/version_needs.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <vector>

#include "addrs/version.h"
#include "lint/walk.h"
#include "syntax/analysis.h"
#include "syntax/ast.h"

namespace tofu::lint {

namespace {

// OpenTofu began with 1.6, which has all of Terraform 1.5 and most of 1.6.
constexpr std::string_view kFirstTofu = "1.6";

struct Feature {
  std::string_view name;
  std::string_view tofu;
  std::string_view terraform;
};

// By the part of the language that shows them.
constexpr Feature kMoved{"moved blocks", kFirstTofu, "1.1"};
constexpr Feature kNullable{"nullable in variables", kFirstTofu, "1.1"};
constexpr Feature kConditions{"preconditions and postconditions", kFirstTofu, "1.2"};
constexpr Feature kReplaceTriggered{"replace_triggered_by", kFirstTofu, "1.2"};
constexpr Feature kOptional{"optional attributes in types", kFirstTofu, "1.3"};
constexpr Feature kTerraformData{"terraform_data", kFirstTofu, "1.4"};
constexpr Feature kChecks{"check blocks", kFirstTofu, "1.5"};
constexpr Feature kImports{"import blocks", kFirstTofu, "1.5"};
constexpr Feature kImportsForEach{"import blocks with for_each", "1.7", "1.7"};
constexpr Feature kRemoved{"removed blocks", "1.7", "1.7"};
constexpr Feature kProviderFunctions{"functions of providers", "1.7", "1.8"};
constexpr Feature kEncryption{"encryption of state and plans", "1.7", ""};
constexpr Feature kStaticSources{"references in module sources", "1.8", "1.15"};
constexpr Feature kProviderForEach{"providers with for_each", "1.9", ""};
constexpr Feature kDeprecated{"deprecated variables and outputs", "1.10", "1.15"};
constexpr Feature kEphemeral{"ephemeral resources and values", "1.11", "1.10"};
constexpr Feature kEnabled{"enabled in lifecycle", "1.11", ""};
constexpr Feature kConst{"const variables", "1.12", "1.15"};
constexpr Feature kOutputTypes{"types of outputs", "", "1.15"};
constexpr Feature kSymbols{"symbol libraries", "", ""};
constexpr Feature kReplacedBy{"replaced_by and removed_in", "", ""};

// Functions that came after the first release that counts for either tool.
struct NewFunction {
  std::string_view name;
  Feature feature;
};
constexpr NewFunction kFunctions[] = {
    {"startswith", {"the function startswith", kFirstTofu, "1.3"}},
    {"endswith", {"the function endswith", kFirstTofu, "1.3"}},
    {"timecmp", {"the function timecmp", kFirstTofu, "1.3"}},
    {"strcontains", {"the function strcontains", kFirstTofu, "1.5"}},
    {"plantimestamp", {"the function plantimestamp", kFirstTofu, "1.5"}},
    {"templatestring", {"the function templatestring", "1.7", "1.9"}},
    {"issensitive", {"the function issensitive", "1.7", "1.8"}},
    {"base64gunzip", {"the function base64gunzip", "1.7", ""}},
    {"cidrcontains", {"the function cidrcontains", "1.7", ""}},
    {"urldecode", {"the function urldecode", "1.7", ""}},
    {"ephemeralasnull", {"the function ephemeralasnull", "1.11", "1.10"}},
};

// The uses so far, each feature once.
class Uses {
 public:
  void add(const Feature& feature, diag::SourceRange place) {
    const auto same = std::ranges::find(all_, feature.name, &FeatureUse::feature);
    if (same == all_.end()) {
      all_.push_back({feature.name, feature.tofu, feature.terraform, place});
    }
  }
  std::vector<FeatureUse> take() { return std::move(all_); }

 private:
  std::vector<FeatureUse> all_;
};

// Calls and arguments.
class Texts final : public Visitor {
 public:
  explicit Texts(Uses& uses) : uses_(uses) {}

  void attribute(const syntax::Attribute& attribute, const Site& site) override {
    if (site.top == nullptr) return;
    const bool is_declaration =
        site.block == site.top && (site.top->type == "variable" || site.top->type == "output");
    if (!is_declaration) return;
    if (attribute.name == "replaced_by" || attribute.name == "removed_in") {
      uses_.add(kReplacedBy, attribute.name_range);
    }
  }

  void expression(const syntax::Expr& expr, const Site& site) override {
    const auto* call = syntax::as_if<syntax::CallExpr>(expr);
    if (call == nullptr) return;
    if (call->name.starts_with("provider::")) uses_.add(kProviderFunctions, call->name_range);
    const bool is_type = site.attribute != nullptr && site.attribute->name == "type" &&
                         site.top != nullptr && site.top->type == "variable";
    if (is_type && call->name == "optional") uses_.add(kOptional, call->name_range);
    std::string_view name = call->name;
    if (name.starts_with("core::")) name.remove_prefix(6);
    const auto found = std::ranges::find(kFunctions, name, &NewFunction::name);
    if (found != std::end(kFunctions)) uses_.add(found->feature, call->name_range);
  }

 private:
  Uses& uses_;
};

void add_values(const config::Module& module, Uses& uses) {
  for (const config::Variable& variable : module.variables) {
    if (variable.nullable) uses.add(kNullable, variable.range);
    if (variable.deprecated) uses.add(kDeprecated, variable.range);
    if (variable.is_ephemeral()) uses.add(kEphemeral, variable.range);
    if (variable.is_const) uses.add(kConst, variable.range);
  }
  for (const config::Output& output : module.outputs) {
    if (output.deprecated) uses.add(kDeprecated, output.range);
    if (output.type_expr != nullptr) uses.add(kOutputTypes, output.range);
    if (output.is_ephemeral()) uses.add(kEphemeral, output.range);
    if (!output.preconditions.empty()) uses.add(kConditions, output.preconditions[0].range);
  }
}

void add_resources(const config::Module& module, Uses& uses) {
  for (const auto mode :
       {addrs::ResourceMode::Managed, addrs::ResourceMode::Data, addrs::ResourceMode::Ephemeral}) {
    for (const config::Resource& resource : module.resources(mode)) {
      if (mode == addrs::ResourceMode::Ephemeral) uses.add(kEphemeral, resource.range);
      if (resource.type == "terraform_data") uses.add(kTerraformData, resource.range);
      if (resource.repetition.enabled != nullptr) uses.add(kEnabled, resource.range);
      if (!resource.replace_triggered_by.empty()) uses.add(kReplaceTriggered, resource.range);
      if (!resource.preconditions.empty() || !resource.postconditions.empty()) {
        uses.add(kConditions, resource.range);
      }
    }
  }
}

void add_blocks(const config::Module& module, Uses& uses) {
  for (const config::Moved& each : module.moved) uses.add(kMoved, each.range);
  for (const config::Removed& each : module.removed) uses.add(kRemoved, each.range);
  for (const config::Check& each : module.checks) uses.add(kChecks, each.range);
  for (const config::Import& each : module.imports) {
    uses.add(each.for_each != nullptr ? kImportsForEach : kImports, each.range);
  }
  for (const config::ProviderConfig& each : module.provider_configs) {
    if (each.for_each != nullptr) uses.add(kProviderForEach, each.range);
  }
  for (const symbols::SymbolsImport& each : module.symbols) uses.add(kSymbols, each.range);
  for (const config::ModuleCall& call : module.module_calls) {
    if (call.repetition.enabled != nullptr) uses.add(kEnabled, call.range);
    if (call.source != nullptr && !syntax::variables(*call.source).empty()) {
      uses.add(kStaticSources, call.source->range);
    }
  }
  if (module.encryption) uses.add(kEncryption, module.encryption->range);
}

// The newest of the releases; empty if one is.
template <class Release>
std::string newest(const std::vector<FeatureUse>& uses, std::string_view at_least,
                   Release release) {
  std::string found(at_least);
  auto version = addrs::Version::parse(found);
  for (const FeatureUse& use : uses) {
    const std::string_view text = release(use);
    if (text.empty()) return {};
    auto each = addrs::Version::parse(text);
    if (!each || !version || *each <= *version) continue;
    found = text;
    version = std::move(each);
  }
  return found;
}

}  // namespace

VersionNeeds version_needs(const config::Module& module, const diag::SourceMap& sources) {
  Uses uses;
  add_blocks(module, uses);
  add_resources(module, uses);
  add_values(module, uses);
  Texts texts(uses);
  Visitor* const visitors[] = {&texts};
  walk(module_files(module, sources), visitors);
  VersionNeeds needs;
  needs.uses = uses.take();
  needs.tofu = newest(needs.uses, kFirstTofu, [](const FeatureUse& use) { return use.tofu; });
  needs.terraform = newest(needs.uses, "1.0", [](const FeatureUse& use) { return use.terraform; });
  return needs;
}

}  // namespace tofu::lint
