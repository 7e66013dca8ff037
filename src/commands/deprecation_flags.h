// Which uses of deprecated variables and outputs a run warns about.
//
// The setting has two spellings: -deprecation=module:LEVEL, which is OpenTofu's, and
// -module-deprecation-warnings=LEVEL. A word that is no level is an error, never
// silently the default.
#pragma once

#include <optional>

#include "commands/command.h"
#include "diag/diagnostic.h"
#include "eval/deprecation.h"

namespace tofu::commands {

// For the tables of the commands that warn.
inline constexpr Flag kDeprecationFlag = {
    "deprecation", FlagKind::Text, "module:all", "deprecation=module:LEVEL",
    "Which uses of deprecated module variables and outputs are warned about: module:all, "
    "module:local (not inside modules fetched from elsewhere) or module:none."};
inline constexpr Flag kModuleDeprecationFlag = {"module-deprecation-warnings", FlagKind::Text,
                                                "all", "module-deprecation-warnings=LEVEL",
                                                "The same setting: all, local or none."};

// `flags` are those of a command that has both flags above. Nothing if and only if an
// error was added.
std::optional<eval::DeprecationLevel> deprecation_level(const Flags& flags,
                                                        diag::Diagnostics& diags);

}  // namespace tofu::commands
