// How strictly this run takes version constraints, and which versions it has.
//
// The flag wins over the environment, and that over the CLI configuration. A word
// that is not a mode is an error wherever it stands, never silently the default.
#pragma once

#include <optional>

#include "commands/command.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// `chosen` is what -version-check says. Nothing if and only if an error was added.
std::optional<config::VersionCheck> version_check_mode(std::optional<config::VersionCheck> chosen,
                                                       const World& world,
                                                       diag::Diagnostics& diags);

// What constraints are compared with.
config::OwnVersions own_versions();

}  // namespace tofu::commands
