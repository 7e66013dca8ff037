// Installing the providers of the configuration, as init does it.
//
// Selects versions, installs packages, writes the lock file and tells what happens in the
// lines that OpenTofu prints, because other programs read them.
#pragma once

#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/progress.h"
#include "config/provider_requirements.h"
#include "diag/diagnostic.h"
#include "install/provider_installer.h"

namespace tofu::commands {

struct ProviderInstalling {
  bool upgrade = false;
  bool lock_is_readonly = false;
  std::vector<std::string> plugin_directories = {};  // -plugin-dir; empty: not given
};

// `needed` has the built-in provider, too. False if and only if an error was added.
bool install_providers(const ProviderInstalling& installing,
                       const config::ProviderRequirements& needed, Progress& progress, World& world,
                       diag::Diagnostics& diags);

// The lock file. Entries of Terraform's registry for providers that OpenTofu releases
// itself select the same versions of these; their hashes are others. Nothing if and only if
// an error was added.
std::optional<install::LockFile> read_lock_for_providers(World& world, diag::Diagnostics& diags);

}  // namespace tofu::commands
