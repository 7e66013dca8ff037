// How strictly this run takes version constraints, and which versions it has.
//
// The flag wins over the environment, and that over the CLI configuration. A word
// that is not a mode is an error wherever it stands, never silently the default.
#pragma once

#include <optional>

#include "cli/settings.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::workdir {

// `chosen` is what -version-check says.
diag::Checked<config::VersionCheck> version_check_mode(std::optional<config::VersionCheck> chosen,
                                                       const cli::Settings& settings,
                                                       const diag::SourceMap& sources,
                                                       diag::Diagnostics& diags);

// What constraints are compared with.
config::OwnVersions own_versions();

}  // namespace tofu::workdir
