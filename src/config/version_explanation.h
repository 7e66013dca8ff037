// Why the version constraints of modules hold or not: each with what it is compared with.
//
// For people who look at all of them; version_check.h decides whether a module can be used.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/version_check.h"

namespace tofu::config {

enum class ComparedWith : std::uint8_t { Nothing, Tofu, TerraformLine };

struct ExplainedConstraint {
  std::string module;  // as ModuleVersions names it
  VersionKind kind = VersionKind::Tofu;
  std::string constraint;  // empty: it cannot be read
  diag::SourceRange range;
  ComparedWith compared = ComparedWith::Nothing;
  bool holds = true;  // also if it is not compared
  std::string why;    // a sentence
};

std::vector<ExplainedConstraint> explain_versions(std::span<const ModuleVersions> modules,
                                                  VersionCheck mode, const OwnVersions& own);

}  // namespace tofu::config
