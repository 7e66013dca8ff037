// Installing the modules of the configuration, as init and get do it.
//
// Loading and installing are one act: which modules a module calls is known only
// when it is there. The record of what is installed is written even if something
// went wrong, so that the next run need not start again; the lock file only if
// everything is well.
#pragma once

#include <functional>
#include <memory>

#include "commands/configuration.h"
#include "commands/progress.h"
#include "install/module_installer.h"

namespace tofu::commands {

struct Installing {
  LoadOptions load;
  bool again = false;             // even what is installed already, and newer if there is
  bool lock_is_readonly = false;  // a lock that would have to change is an error
  // Called once, before the first module is looked for; never if there are none.
  std::function<void()> begin = [] {};
};

struct InstalledConfiguration {
  std::unique_ptr<Configuration> configuration;  // null if and only if an error was added
  install::InstallSummary summary;
};

InstalledConfiguration install_modules(const Installing& installing, Progress& progress,
                                       World& world, diag::Diagnostics& diags);

// One sentence for people about what was fetched, shared and copied. Empty if there
// were no packages.
std::string summary_text(const install::InstallSummary& summary);

}  // namespace tofu::commands
