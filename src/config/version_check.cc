#include "config/version_check.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>
#include <vector>

#include "base/check.h"
#include "config/version_conflict.h"
#include "config/version_explanation.h"

namespace tofu::config {

namespace {

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

// The version to compare with a constraint.
enum class Against : std::uint8_t { Nothing, Tofu, TerraformLine };

Against against(VersionKind kind, bool has_tofu, VersionCheck mode) {
  if (mode == VersionCheck::Off) return Against::Nothing;
  if (kind == VersionKind::Tofu) return Against::Tofu;
  // Once a module speaks of OpenTofu, the rest is for the other tool.
  if (has_tofu) return Against::Nothing;
  switch (mode) {
    case VersionCheck::Identical: return Against::Tofu;
    case VersionCheck::Equivalent: return Against::TerraformLine;
    case VersionCheck::TofuOnly:
    case VersionCheck::Off: return Against::Nothing;
  }
  base::broken_promise("version check mode out of range");
}

bool holds(const addrs::Constraints& constraints, Against compared, const OwnVersions& own) {
  return compared == Against::TerraformLine ? own.terraform_meets(constraints)
                                            : constraints.allows(own.tofu);
}

// The one version that a constraint names, if it names just one.
const addrs::Version* only_version(const addrs::Constraints& constraints) {
  const auto& all = constraints.all();
  const bool is_exact = all.size() == 1 && all[0].op == addrs::ConstraintOp::Equal;
  return is_exact ? &all[0].version : nullptr;
}

// Whether a release of Terraform after the line meets the constraints.
bool asks_for_newer(const addrs::Constraints& constraints, const OwnVersions& own) {
  const auto is_newer = [&](const addrs::Version& version) {
    return version > own.terraform() && constraints.allows(version);
  };
  return std::ranges::any_of(constraints.all(), [&](const addrs::Constraint& one) {
    const addrs::Version& at = one.version;
    return is_newer(at) || is_newer(addrs::Version(at.major(), at.minor(), at.patch() + 1));
  });
}

std::string why_incompatible(const VersionRequirement& requirement, const std::string& module,
                             Against compared, const OwnVersions& own) {
  const bool is_line = compared == Against::TerraformLine;
  std::string text = fmt::format(
      "The version constraint \"{}\" of {} does not allow {}.", requirement.constraints.to_string(),
      module,
      is_line
          ? fmt::format("Terraform {}, which this release is equivalent to", own.terraform_text())
          : fmt::format("OpenTofu {}", own.tofu.to_string()));
  if (const addrs::Version* only = only_version(requirement.constraints)) {
    text += fmt::format(" It allows only one release; to allow later ones, write \">= {}\".",
                        only->to_string());
  }
  if (is_line && asks_for_newer(requirement.constraints, own)) {
    text += fmt::format(
        " The module asks for a newer Terraform: its features are compared with those of Terraform "
        "{}. If it works with OpenTofu {}, add this line to a .tofu file of the module:\n  tofu {{ "
        "required_version = \">= {}.{}\" }}\nWhich features of newer Terraform releases work is in "
        "docs/version-compatibility.md.",
        own.terraform_text(), own.tofu.to_string(), own.tofu.major(), own.tofu.minor());
  } else {
    text +=
        " Use another version, or change the constraint if you know that the module works with "
        "this one.";
  }
  if (requirement.kind == VersionKind::Terraform) {
    text += " With -version-check=tofu-only, constraints for Terraform are not checked.";
  }
  return text;
}

std::string warning_summary(const OwnVersions& own) {
  return fmt::format(
      "Using v{} in 'terraform -> required_version' as equivalent to current tofu version {}!",
      own.terraform_text(), own.tofu.to_string());
}

constexpr std::string_view kRemedy =
    "To state which versions of OpenTofu the module supports, add a block such as tofu { "
    "required_version = \">= 1.6\" } in a .tofu file.";
constexpr std::string_view kFetchedRemedy =
    "This is a remote module. Its author can state which versions of OpenTofu it supports with a "
    "block such as tofu { required_version = \">= 1.6\" } in a .tofu file. With "
    "-version-check=tofu-only, constraints for Terraform are not checked.";

// How to settle one place.
std::string remedy(const EquivalentVersion& place, const OwnVersions& own) {
  std::string text(place.is_local ? kRemedy : kFetchedRemedy);
  if (place.allows_newest) return text;
  return fmt::format(
      "The constraint \"{}\" allows only some releases of Terraform {}, and this release is "
      "equivalent to all of them. To allow them all, write \"~> {}.{}.0\". {} To check constraints "
      "differently, use -version-check=MODE, where MODE is one of {}.",
      place.constraints.to_string(), own.terraform_text(), own.terraform_major, own.terraform_minor,
      text, version_check_words());
}

std::string place_of(const diag::SourceMap& sources, diag::SourceRange range) {
  return fmt::format("{}:{}", sources.name(range.file),
                     sources.position(range.file, range.begin).line);
}

std::string other_places(std::span<const EquivalentVersion> others,
                         const diag::SourceMap& sources) {
  std::string text = "\n\nThis also applies to:";
  for (const EquivalentVersion& each : others) {
    text += fmt::format("\n  {}{}", place_of(sources, each.range),
                        each.is_local ? "" : " (remote module)");
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

bool OwnVersions::terraform_meets(const addrs::Constraints& constraints) const {
  const auto allowed = [&](std::uint64_t patch) {
    return constraints.allows(addrs::Version(terraform_major, terraform_minor, patch));
  };
  // The result changes only next to a version in the constraint.
  if (allowed(0) || constraints.allows(terraform())) return true;
  return std::ranges::any_of(constraints.all(), [&](const addrs::Constraint& one) {
    const std::uint64_t patch = one.version.patch();
    return allowed(patch) || allowed(patch + 1) || (patch > 0 && allowed(patch - 1));
  });
}

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
    std::vector<HoldingConstraint> holding;
    for (const VersionRequirement& each : *module.requirements) {
      const Against compared = against(each.kind, has_tofu, mode);
      if (compared == Against::Nothing) continue;
      for (const diag::Diagnostic& problem : each.problems) report.errors.add(problem);
      if (!each.problems.empty()) continue;
      if (!holds(each.constraints, compared, own)) {
        report.errors.error("Incompatible module")
            .detail(why_incompatible(each, module.name, compared, own))
            .at(each.range);
      } else if (compared == Against::TerraformLine) {
        holding.push_back({module.name, each.constraints, each.range});
        report.equivalent.push_back({each.range, each.constraints,
                                     each.constraints.allows(own.terraform()), module.is_local});
      }
    }
    check_together(holding, own, report.errors);
  }
  return report;
}

namespace {

std::string why(const VersionRequirement& requirement, Against compared, bool holds, bool has_tofu,
                VersionCheck mode, const OwnVersions& own) {
  switch (compared) {
    case Against::Nothing: break;
    case Against::Tofu:
      return fmt::format("OpenTofu {} {} it", own.tofu.to_string(),
                         holds ? "meets" : "does not meet");
    case Against::TerraformLine: {
      if (!holds) return fmt::format("no release of Terraform {} meets it", own.terraform_text());
      const bool is_whole = requirement.constraints.allows(own.terraform());
      return fmt::format("{} of Terraform {} meets it",
                         is_whole ? "every later release" : "some release", own.terraform_text());
    }
  }
  if (mode == VersionCheck::Off) return "constraints are not checked";
  if (has_tofu && requirement.kind == VersionKind::Terraform) {
    return "not checked: the module has a constraint for OpenTofu";
  }
  return "not checked: constraints for Terraform are for the other tool";
}

ComparedWith compared_with(Against compared) {
  switch (compared) {
    case Against::Nothing: return ComparedWith::Nothing;
    case Against::Tofu: return ComparedWith::Tofu;
    case Against::TerraformLine: return ComparedWith::TerraformLine;
  }
  base::broken_promise("comparison out of range");
}

}  // namespace

std::vector<ExplainedConstraint> explain_versions(std::span<const ModuleVersions> modules,
                                                  VersionCheck mode, const OwnVersions& own) {
  std::vector<ExplainedConstraint> explained;
  for (const ModuleVersions& module : modules) {
    const bool has_tofu = std::ranges::any_of(
        *module.requirements,
        [](const VersionRequirement& each) { return each.kind == VersionKind::Tofu; });
    for (const VersionRequirement& each : *module.requirements) {
      const Against compared = against(each.kind, has_tofu, mode);
      ExplainedConstraint& one = explained.emplace_back();
      one.module = module.name;
      one.kind = each.kind;
      one.range = each.range;
      one.compared = compared_with(compared);
      if (!each.problems.empty()) {
        one.holds = compared == Against::Nothing;
        one.why = "it cannot be read";
        continue;
      }
      one.constraint = each.constraints.to_string();
      one.holds = compared == Against::Nothing || holds(each.constraints, compared, own);
      one.why = why(each, compared, one.holds, has_tofu, mode, own);
    }
  }
  return explained;
}

void warn_of_equivalence(std::span<const EquivalentVersion> places, const OwnVersions& own,
                         Listing listing, const diag::SourceMap& sources,
                         diag::Diagnostics& diags) {
  if (places.empty()) return;
  if (listing == Listing::Each) {
    for (const EquivalentVersion& place : places) {
      diags.warning(warning_summary(own)).detail(remedy(place, own)).at(place.range);
    }
    return;
  }
  std::string detail = remedy(places.front(), own);
  if (places.size() > 1) detail += other_places(places.subspan(1), sources);
  diags.warning(warning_summary(own)).detail(std::move(detail)).at(places.front().range);
}

}  // namespace tofu::config
