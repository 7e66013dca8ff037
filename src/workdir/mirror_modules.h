// Copying the packages of a configuration into a directory that can stand in for their sources.
//
// What `modules mirror` and `modules vendor` do: the installed packages, in the states that the
// lock file names, go into a directory from which `init` installs them without a network.
#pragma once

#include <string>

#include "base/result.h"
#include "cli/cancellation.h"
#include "cli/progress.h"
#include "diag/diagnostic.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::workdir {

// `loaded` has the installed packages. Packages that the directory has already are kept.
diag::Checked<void> mirror_modules(const Configuration& loaded, const std::string& directory,
                                   cli::Progress& progress, const LoadContext& context,
                                   cli::Cancellation& cancellation, diag::Diagnostics& diags);

// Removes a directory of packages, whose files cannot be written. One that is missing is no error.
base::Result<void> remove_packages(const std::string& directory);

}  // namespace tofu::workdir
