#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/lone_library.h"
#include "commands/missing_providers.h"
#include "commands/option_groups.h"
#include "config/no_modules.h"
#include "install/module_directory.h"
#include "schema/provider.h"
#include "views/config_json.h"
#include "views/library_json.h"
#include "views/library_text.h"

namespace tofu::commands {

namespace {

struct Options {
  bool config = false;
  bool json = false;
  std::string module;
  std::string library;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("config", config,
              {.help = "Show the configuration in this directory, with all modules it calls. "
                       "Needs -json."});
    flags.add("json", json, {.help = "Print as JSON."});
    flags.add("module", module,
              {.value = "DIR",
               .help = "Show the module in this directory by itself, which need not be "
                       "initialised. Needs -json.",
               .completes = Completes::Directories});
    flags.add("library", library,
              {.value = "DIR",
               .help = "Show what the symbol library in this directory (or file) offers.",
               .completes = Completes::Directories});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// What is shown, as text that ends without a line feed. Nothing if and only if an
// error was added.
using Shown = std::optional<std::string>;

Shown show_config(const LoadOptions& options, World& world, diag::Diagnostics& diags) {
  if (!install::has_configuration(options.directory)) {
    diags.error("No configuration").detail("There are no configuration files in this directory.");
    return std::nullopt;
  }
  const auto loaded = load_configuration(options, world, diags);
  if (!loaded) return std::nullopt;
  const std::size_t errors = diags.error_count();
  report_missing_providers(loaded->tree, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return views::config_json(loaded->tree, schema::builtin_schemas());
}

Shown show_module(const LoadOptions& options, World& world, diag::Diagnostics& diags) {
  config::NoModules none;
  const auto loaded = load_configuration(options, none, {}, world, diags);
  if (!loaded) return std::nullopt;
  return views::module_json(loaded->tree);
}

Shown show_library(const Options& options, World& world, diag::Diagnostics& diags) {
  LoneLibraries libraries(world);
  const config::Library* library = libraries.load(options.library, "-library", diags);
  if (library == nullptr) return std::nullopt;
  return options.json ? views::library_json(*library) : views::library_text(*library);
}

bool check_options(const Options& options, diag::Diagnostics& diags) {
  const bool config = options.config;
  const bool module = !options.module.empty();
  const bool library = !options.library.empty();
  const auto refuse = [&](std::string_view summary, std::string_view detail) {
    diags.error(std::string(summary)).detail(std::string(detail));
    return false;
  };
  if (!config && !module && !library) {
    return refuse("Nothing to show",
                  "States and plans cannot be shown by this version yet. Choose what to show with "
                  "-config, -module=DIR or -library=DIR.");
  }
  if (config + module + library > 1) {
    return refuse("Options that exclude each other",
                  "Only one thing can be shown at a time. Give one of -config, -module=DIR and "
                  "-library=DIR.");
  }
  if (!library && !options.json) {
    return refuse("The -json option is required",
                  "Configurations are shown only as JSON. Add the option -json.");
  }
  if (!options.arguments.empty()) {
    return refuse("Too many arguments", "What is shown is chosen by options alone.");
  }
  return true;
}

Shown show(const Options& options, World& world, diag::Diagnostics& diags) {
  if (!check_options(options, diags)) return std::nullopt;
  if (!options.library.empty()) return show_library(options, world, diags);
  auto how = load_options(options.configuration, world, diags);
  if (!how) return std::nullopt;
  if (options.config) return show_config(*how, world, diags);
  how->directory = options.module;
  return show_module(*how, world, diags);
}

int run(const Options& options, World& world) {
  diag::Diagnostics diags;
  const Shown shown = show(options, world, diags);
  print_diagnostics(diags, world, Spacing::Close);
  if (!shown) return kExitError;
  world.out.line(*shown);
  return kExitOk;
}

}  // namespace

const Command kShowCommand = {
    "show",
    "Describe a configuration or a symbol library",
    "[options]",
    "Prints what a configuration or a module declares: variables, outputs, resources, calls of "
    "other modules, and what their expressions refer to. The form is that of the configuration in "
    "a plan's JSON document.\n\n"
    "Of a symbol library it prints the types, values and functions that it offers.",
    action<Options, run>(),
};

}  // namespace tofu::commands
