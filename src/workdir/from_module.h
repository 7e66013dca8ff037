// `init -from-module`: the working directory becomes a copy of a module.
//
// The source may be anything that a module call could have. What the module itself
// calls is installed afterwards, by the rest of init.
#pragma once

#include <string>

#include "cli/cancellation.h"
#include "cli/progress.h"
#include "cli/settings.h"
#include "diag/diagnostic.h"

namespace tofu::workdir {

// The working directory has to be empty.
diag::Checked<void> copy_from_module(const std::string& source, cli::Progress& progress,
                                     const cli::Settings& settings, cli::Cancellation& cancellation,
                                     diag::Diagnostics& diags);

}  // namespace tofu::workdir
