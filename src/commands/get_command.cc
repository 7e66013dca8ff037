#include <string>

#include "commands/command.h"
#include "commands/install_modules.h"
#include "commands/progress.h"
#include "commands/root_variables.h"
#include "commands/version_mode.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    kJsonFlag,
    kJsonIntoFlag,
    kTestDirectoryFlag,
    {"update", FlagKind::Bool, "false", "update",
     "Install all modules anew, in the newest versions that are allowed."},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

void get(const Flags& flags, Progress& progress, World& world, diag::Diagnostics& diags) {
  if (!check_no_arguments(flags, diags)) return;
  const auto mode = version_check_mode(flags, world, diags);
  if (!mode) return;
  Installing installing;
  installing.load.version_check = *mode;
  installing.load.equivalence =
      flags.is_true("json") ? config::Listing::Each : config::Listing::Together;
  installing.load.test_directory = flags.text(kTestDirectoryFlag.name);
  installing.again = flags.is_true("update");
  const auto installed = install_modules(installing, flags, progress, world, diags);
  if (const std::string text = told(installed.summary); !text.empty()) progress.line(text);
}

int run(const Request& request, World& world) { return run_with_progress(request, world, get); }

}  // namespace

const Command kGetCommand = {
    "get",
    "Install the modules of the configuration",
    "[options]",
    "Installs all modules that the configuration in this directory calls, and those that they "
    "call. What is installed already is left as it is, unless -update is given. \"tofu init\" does "
    "the same and more.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
