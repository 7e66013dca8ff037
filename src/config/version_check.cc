#include "config/version_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/check.h"

namespace tofu::config {

namespace {

constexpr std::size_t kMostPlaces = 5;

struct Word {
  std::string_view text;
  VersionCheck mode;
};
constexpr Word kWords[] = {
    {"equivalent", VersionCheck::Equivalent},
    {"identical", VersionCheck::Identical},
    {"tofu-only", VersionCheck::TofuOnly},
    {"off", VersionCheck::Off},
};

// The version that a constraint is compared with, and how that is told. Nothing if
// the constraint is not looked at.
struct Against {
  Version version;
  std::string text;
  bool is_equivalent = false;
};

std::optional<Against> against(VersionKind kind, bool has_tofu, VersionCheck mode,
                               const OwnVersions& own) {
  const Against tofu{own.tofu, fmt::format("OpenTofu {}", own.tofu.to_string())};
  if (mode == VersionCheck::Off) return std::nullopt;
  if (kind == VersionKind::Tofu) return tofu;
  // Once a module speaks of OpenTofu, the rest is for the other tool.
  if (has_tofu) return std::nullopt;
  switch (mode) {
    case VersionCheck::Identical: return tofu;
    case VersionCheck::Equivalent:
      return Against{
          own.terraform(),
          fmt::format("Terraform {}, which this release counts as equal to", own.terraform_text()),
          true};
    case VersionCheck::TofuOnly:
    case VersionCheck::Off: return std::nullopt;
  }
  base::broken_promise("version check mode out of range");
}

std::string warning_summary(const OwnVersions& own) {
  return fmt::format(
      "Using v{} in 'terraform -> required_version' as equivalent to current tofu version {}!",
      own.terraform_text(), own.tofu.to_string());
}

constexpr std::string_view kRemedy =
    "To say which versions of OpenTofu the module works with, add a block such as tofu { "
    "required_version = \">= 1.6\" } in a .tofu file.";

std::string place_of(const diag::SourceMap& sources, diag::SourceRange range) {
  return fmt::format("{}:{}", sources.name(range.file),
                     sources.position(range.file, range.begin).line);
}

std::string other_places(std::span<const diag::SourceRange> others,
                         const diag::SourceMap& sources) {
  std::string text = "\n\nThe same holds for:";
  for (const diag::SourceRange& each : others.first(std::min(others.size(), kMostPlaces))) {
    text += fmt::format("\n  {}", place_of(sources, each));
  }
  if (others.size() > kMostPlaces) {
    text += fmt::format("\n  (and {} more)", others.size() - kMostPlaces);
  }
  return text;
}

}  // namespace

std::optional<VersionCheck> parse_version_check(std::string_view word) {
  const auto found = std::ranges::find(kWords, word, &Word::text);
  if (found == std::end(kWords)) return std::nullopt;
  return found->mode;
}

std::string_view version_check_words() { return "equivalent, identical, tofu-only, off"; }

std::string OwnVersions::terraform_text() const {
  return fmt::format("{}.{}.x", terraform_major, terraform_minor);
}

VersionReport check_versions(std::span<const ModuleVersions> modules, VersionCheck mode,
                             const OwnVersions& own) {
  VersionReport report;
  for (const ModuleVersions& module : modules) {
    const bool has_tofu = std::ranges::any_of(
        *module.requirements,
        [](const VersionRequirement& each) { return each.kind == VersionKind::Tofu; });
    for (const VersionRequirement& each : *module.requirements) {
      const auto compared = against(each.kind, has_tofu, mode, own);
      if (!compared) continue;
      for (const diag::Diagnostic& problem : each.problems) report.errors.add(problem);
      if (!each.problems.empty()) continue;
      if (!each.constraints.allows(compared->version)) {
        report.errors.error("Incompatible module")
            .detail(fmt::format(
                "The version constraint \"{}\" of {} does not allow {}. Use another version, or "
                "change the constraint if you know that the module works with this one.",
                each.constraints.to_string(), module.name, compared->text))
            .at(each.range);
      } else if (compared->is_equivalent) {
        report.equivalent.push_back(each.range);
      }
    }
  }
  return report;
}

void warn_of_equivalence(std::span<const diag::SourceRange> places, const OwnVersions& own,
                         Listing listing, const diag::SourceMap& sources,
                         diag::Diagnostics& diags) {
  if (places.empty()) return;
  if (listing == Listing::Each) {
    for (const diag::SourceRange& place : places) {
      diags.warning(warning_summary(own)).detail(std::string(kRemedy)).at(place);
    }
    return;
  }
  std::string detail(kRemedy);
  if (places.size() > 1) detail += other_places(places.subspan(1), sources);
  diags.warning(warning_summary(own)).detail(std::move(detail)).at(places.front());
}

}  // namespace tofu::config
