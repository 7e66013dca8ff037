#include <string>
#include <utility>
#include <vector>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/install_modules.h"
#include "commands/option_groups.h"
#include "commands/progress.h"

namespace tofu::commands {

namespace {

struct GetOptions {
  bool update = false;
  JsonOptions json;
  TestFileOptions tests;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("update", update,
              {.help = "Install all modules again, in the newest versions that are allowed."});
    flags.include(json);
    flags.include(tests);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

void get(const GetOptions& options, Progress& progress, World& world, diag::Diagnostics& diags) {
  if (!check_no_arguments(options.arguments, diags)) return;
  auto load = load_options(options.configuration, world, diags);
  if (!load) return;
  load->equivalence = options.json.json ? config::Listing::Each : config::Listing::Together;
  load->test_directory = options.tests.directory;
  Installing installing;
  installing.load = std::move(*load);
  installing.again = options.update;
  const auto installed = install_modules(installing, progress, world, diags);
  if (const std::string text = summary_text(installed.summary); !text.empty()) progress.line(text);
}

int run_get(const GetOptions& options, World& world) {
  return run_with_progress(options.json, world, [&](Progress& progress, diag::Diagnostics& diags) {
    get(options, progress, world, diags);
  });
}

}  // namespace

const Command kGetCommand = {
    "get",
    "Install the modules of the configuration",
    "[options]",
    "Installs all modules that the configuration in this directory calls, and those that they "
    "call. What is installed already is left as it is, unless -update is given. \"tofu init\" does "
    "the same and more.",
    action<GetOptions, run_get>(),
};

}  // namespace tofu::commands
