// How strictly this run takes version constraints, and which versions it has.
//
// The flag wins over the environment, and that over the CLI configuration. A word
// that is no mode is an error wherever it stands, never silently the default.
#pragma once

#include <optional>

#include "commands/command.h"
#include "config/version_check.h"
#include "diag/diagnostic.h"

namespace tofu::commands {

// For the tables of the commands that load configuration.
inline constexpr Flag kVersionCheckFlag = {
    "version-check", FlagKind::Text, "", "version-check=MODE",
    "How version constraints are taken: equivalent, identical, tofu-only or off. Also set by "
    "TOFU_VERSION_CHECK."};

// `flags` are those of a command that has the flag above. Nothing if and only if an
// error was added.
std::optional<config::VersionCheck> version_check_mode(const Flags& flags, const World& world,
                                                       diag::Diagnostics& diags);

// What constraints are compared with.
config::OwnVersions own_versions();

}  // namespace tofu::commands
