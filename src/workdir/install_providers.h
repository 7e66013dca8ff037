// Installing the providers of the configuration, as init does it.
//
// Selects versions, installs packages, writes the lock file and tells what happens in the
// lines that OpenTofu prints, because other programs read them.
#pragma once

#include <string>
#include <vector>

#include "cli/cancellation.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "config/provider_requirements.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "install/provider_installer.h"

namespace tofu::workdir {

struct ProviderInstalling {
  bool upgrade = false;
  bool offline = false;  // nothing is asked or fetched over a network
  bool lock_is_readonly = false;
  std::vector<std::string> plugin_directories = {};  // -plugin-dir; empty: not given
};

// `needed` has the built-in provider, too.
diag::Checked<void> install_providers(const ProviderInstalling& installing,
                                      const config::ProviderRequirements& needed,
                                      cli::Progress& progress, const cli::Settings& settings,
                                      diag::SourceMap& sources, cli::Cancellation& cancellation,
                                      diag::Diagnostics& diags);

// The lock file. Entries of Terraform's registry for providers that OpenTofu releases itself select
// the same versions of these; their hashes are others.
diag::Checked<install::LockFile> read_lock_for_providers(diag::SourceMap& sources,
                                                         diag::Diagnostics& diags);

}  // namespace tofu::workdir
