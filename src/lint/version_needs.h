// The oldest releases of both tools that have every feature which a module uses.
//
// Only what the files of the module say counts; nothing is evaluated. The table of features is in
// the source file, with the release that brought each.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/module.h"
#include "diag/source.h"

namespace tofu::lint {

// A feature that a module uses, at its first place.
struct FeatureUse {
  std::string_view feature;    // check blocks
  std::string_view tofu;       // 1.6; empty: no release of OpenTofu up to this one has it
  std::string_view terraform;  // 1.5; empty: no release of the equivalent line has it
  diag::SourceRange place;
};

struct VersionNeeds {
  std::vector<FeatureUse> uses;  // in the order of the table
  // The newest of the releases above; empty if some feature is in none.
  std::string tofu;
  std::string terraform;
};

VersionNeeds version_needs(const config::Module& module, const diag::SourceMap& sources);

}  // namespace tofu::lint
