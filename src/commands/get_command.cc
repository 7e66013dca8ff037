#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/flags.h"
#include "cli/option_groups.h"
#include "cli/progress.h"
#include "commands/context.h"
#include "commands/table.h"
#include "workdir/configuration.h"
#include "workdir/install_modules.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

struct GetOptions {
  bool update = false;
  bool offline = false;
  cli::JsonOptions json;
  workdir::TestFileOptions tests;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("update", update,
              {.help = "Reinstall all modules, using the newest allowed versions."});
    flags.add("offline", offline,
              {.help = "Download no modules; fail if a required one is not on this machine."});
    flags.include(json);
    flags.include(tests);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

void get(const GetOptions& options, cli::Progress& progress, Context& context,
         diag::Diagnostics& diags) {
  if (!cli::check_no_arguments(options.arguments, diags)) return;
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return;
  load->test_directory = options.tests.directory;
  workdir::Installing installing;
  installing.load = std::move(*load);
  installing.again = options.update;
  installing.offline = options.offline;
  const auto installed =
      workdir::install_modules(installing, progress, context.load, context.cancellation, diags);
  if (const std::string text = workdir::summary_text(installed.summary); !text.empty())
    progress.line(text);
}

int run_get(const GetOptions& options, cli::Session& session) {
  Context context(session, options);
  return cli::run_with_progress(options.json, context.terminal, context.environment(),
                                [&](cli::Progress& progress, diag::Diagnostics& diags) {
                                  get(options, progress, context, diags);
                                });
}

}  // namespace

const cli::Command kGetCommand = {
    "get",
    "Install the modules of the configuration",
    "[options]",
    "Installs all modules that the configuration calls, directly or through other modules. "
    "Installed modules are kept unless -update is given. \"tofu init\" includes this step.",
    cli::action<GetOptions, run_get>(),
};

}  // namespace tofu::commands
