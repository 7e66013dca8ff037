// Installing the modules of the configuration, as init and get do it.
//
// Loading and installing are one act: which modules a module calls is known only
// when it is there. The record of what is installed is written even if something
// went wrong, so that the next run need not begin anew.
#pragma once

#include <functional>
#include <memory>

#include "commands/configuration.h"
#include "commands/progress.h"

namespace tofu::commands {

struct Installing {
  LoadOptions load;
  bool again = false;  // even what is installed already
  // Called once, before the first module is looked for; never if there are none.
  std::function<void()> begin = [] {};
};

// Null if and only if an error was added.
std::unique_ptr<Configuration> install_modules(const Installing& installing, const Flags& flags,
                                               Progress& progress, World& world,
                                               diag::Diagnostics& diags);

}  // namespace tofu::commands
