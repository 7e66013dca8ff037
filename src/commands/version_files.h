// The `.tofu` files that say which versions of OpenTofu a module is for, where it does not say so.
//
// `tofu fix -versions` writes them; here they are only made.
#pragma once

#include <string>
#include <vector>

#include "config/tree.h"
#include "diag/source.h"

namespace tofu::commands {

struct VersionFile {
  std::string path;
  std::string text;
};

// One for each module below `directory` without a constraint for OpenTofu: it asks for the oldest
// release that has all features of the module. Modules with features that no release of OpenTofu
// has get one for this release.
std::vector<VersionFile> missing_version_files(const config::Tree& tree,
                                               const diag::SourceMap& sources);

}  // namespace tofu::commands
