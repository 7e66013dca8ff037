// The encryption of this command's files, as the configuration and TF_ENCRYPTION say.
//
// It is set up once, before the first state or plan is opened, and lives as long as the
// World. Until then, and without such settings, files are stored as they are.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "commands/command.h"
#include "commands/configuration.h"
#include "diag/diagnostic.h"
#include "encryption/encryptions.h"
#include "state/state.h"

namespace tofu::commands {

// Of the root module of `configuration`. False if and only if an error was added.
bool set_up_encryption(const Configuration& configuration, World& world, diag::Diagnostics& diags);

// For commands that open a file without the configuration that belongs to it: that of this
// directory says how it is encrypted. Warnings are left to those who plan.
bool set_up_encryption(const ConfigurationOptions& configuration, World& world,
                       diag::Diagnostics& diags);

// What was set up.
const encryption::Encryptions& encryptions(const World& world);

// The state in a file that somebody names. One that is not encrypted is taken as it is.
// Nothing if and only if an error was added.
std::optional<state::State> read_given_state(std::string bytes, const std::string& path,
                                             const World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
