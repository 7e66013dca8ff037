#include <memory>
#include <optional>
#include <string>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/lone_library.h"
#include "commands/missing_providers.h"
#include "commands/root_variables.h"
#include "commands/version_mode.h"
#include "config/no_modules.h"
#include "install/module_directory.h"
#include "schema/provider.h"
#include "views/config_json.h"
#include "views/library_json.h"
#include "views/library_text.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"config", FlagKind::Bool, "false", "config",
     "Show the configuration in this directory, with all modules it calls. Needs -json."},
    {"json", FlagKind::Bool, "false", "json", "Print as JSON."},
    {"module", FlagKind::Text, "", "module=DIR",
     "Show the module in this directory by itself, which need not be initialised. Needs -json.",
     Completes::Directories},
    {"library", FlagKind::Text, "", "library=DIR",
     "Show what the symbol library in this directory (or file) offers.", Completes::Directories},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
};

// What is shown, as text that ends without a line feed. Nothing if and only if an
// error was added.
using Shown = std::optional<std::string>;

Shown show_config(const Flags& flags, LoadOptions options, World& world, diag::Diagnostics& diags) {
  if (!install::has_configuration(options.directory)) {
    diags.error("No configuration").detail("There are no configuration files in this directory.");
    return std::nullopt;
  }
  const auto loaded = load_configuration(options, flags, world, diags);
  if (!loaded) return std::nullopt;
  const std::size_t errors = diags.error_count();
  report_missing_providers(loaded->tree, diags);
  if (diags.error_count() != errors) return std::nullopt;
  return views::config_json(loaded->tree, schema::builtin_schemas());
}

Shown show_module(const Flags& flags, LoadOptions options, World& world, diag::Diagnostics& diags) {
  options.directory = flags.text("module");
  config::NoModules none;
  const auto loaded = load_configuration(options, flags, none, {}, world, diags);
  if (!loaded) return std::nullopt;
  return views::module_json(loaded->tree);
}

Shown show_library(const Flags& flags, World& world, diag::Diagnostics& diags) {
  LoneLibraries libraries(world);
  const config::Library* library =
      libraries.load(std::string(flags.text("library")), "-library", diags);
  if (library == nullptr) return std::nullopt;
  return flags.is_true("json") ? views::library_json(*library) : views::library_text(*library);
}

bool check_flags(const Flags& flags, diag::Diagnostics& diags) {
  const bool config = flags.is_true("config");
  const bool module = !flags.text("module").empty();
  const bool library = !flags.text("library").empty();
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
  if (!library && !flags.is_true("json")) {
    return refuse("The -json option is required",
                  "Configurations are shown only as JSON. Add the option -json.");
  }
  if (!flags.positional().empty()) {
    return refuse("Too many arguments", "What is shown is chosen by options alone.");
  }
  return true;
}

Shown show(const Flags& flags, World& world, diag::Diagnostics& diags) {
  if (!check_flags(flags, diags)) return std::nullopt;
  if (!flags.text("library").empty()) return show_library(flags, world, diags);
  LoadOptions options;
  const auto mode = version_check_mode(flags, world, diags);
  if (!mode) return std::nullopt;
  options.version_check = *mode;
  return flags.is_true("config") ? show_config(flags, std::move(options), world, diags)
                                 : show_module(flags, std::move(options), world, diags);
}

int run(const Request& request, World& world) {
  diag::Diagnostics diags;
  const Shown shown = show(request.flags, world, diags);
  print_diagnostics(diags, request.view, world, Spacing::Close);
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
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
