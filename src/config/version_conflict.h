// Constraints for Terraform of which each holds, but that no single release meets together.
//
// One release runs all modules of a configuration, so it has to meet the constraints of all of
// them. Constraints of modules that have one for OpenTofu are not among them.
#pragma once

#include <span>
#include <string>

#include "config/version_check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::config {

struct HoldingConstraint {
  std::string module;  // as ModuleVersions names it
  addrs::Constraints constraints;
  diag::SourceRange range;
};

// Reports the first of them that excludes every release of the Terraform line that those before
// it allow.
void check_together(std::span<const HoldingConstraint> given, const OwnVersions& own,
                    diag::Diagnostics& errors);

}  // namespace tofu::config
