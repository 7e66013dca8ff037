// Installing the modules of the configuration, as init and get do it.
//
// Loading and installing are one act: which modules a module calls is known only
// when it is there. The record of installed modules is written even after
// errors, so that the next run need not start again; the lock file only without
// errors.
#pragma once

#include <functional>
#include <memory>

#include "cli/cancellation.h"
#include "cli/progress.h"
#include "install/module_installer.h"
#include "workdir/configuration.h"
#include "workdir/load_context.h"

namespace tofu::workdir {

struct Installing {
  LoadOptions load;
  bool again = false;             // even what is installed already, and newer if there is
  bool lock_is_readonly = false;  // a lock that would have to change is an error
  bool offline = false;           // nothing is fetched over a network
  // Called once, before the first module is looked for; never if there are none.
  std::function<void()> begin = [] {};
};

struct InstalledConfiguration {
  std::unique_ptr<Configuration> configuration;  // null after an error
  install::InstallSummary summary;
};

InstalledConfiguration install_modules(const Installing& installing, cli::Progress& progress,
                                       const LoadContext& context, cli::Cancellation& cancellation,
                                       diag::Diagnostics& diags);

// One sentence for people about what was fetched, shared and copied. Empty if there
// were no packages.
std::string summary_text(const install::InstallSummary& summary);

}  // namespace tofu::workdir
