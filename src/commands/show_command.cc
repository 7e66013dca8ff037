#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/configuration.h"
#include "commands/journal_recovery.h"
#include "commands/json_log.h"
#include "commands/lone_library.h"
#include "commands/option_groups.h"
#include "commands/plan_file.h"
#include "commands/remote_plan.h"
#include "commands/run_providers.h"
#include "commands/state_access.h"
#include "commands/state_printing.h"
#include "config/no_modules.h"
#include "install/module_directory.h"
#include "state/state_file.h"
#include "views/config_json.h"
#include "views/library_json.h"
#include "views/library_text.h"

namespace tofu::commands {

namespace {

struct ShowOptions {
  bool state = false;
  std::string plan;
  bool config = false;
  JsonDocumentOptions json;
  bool html = false;
  std::string module;
  std::string library;
  bool show_sensitive = false;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("state", state,
              {.help = "Show the state of the current workspace, as without any argument."});
    flags.add("plan", plan,
              {.value = "FILE", .help = "Show this saved plan.", .completes = Completes::Files});
    flags.add("config", config,
              {.help = "Show the configuration in this directory, with all modules it calls. "
                       "Needs -json."});
    flags.include(json);
    flags.add("html", html,
              {.help = "Print a saved plan as a page for a browser, which needs nothing else. "
                       "Sensitive values are not in it."});
    flags.add("module", module,
              {.value = "DIR",
               .help = "Show the module in this directory by itself, which need not be "
                       "initialised. Needs -json.",
               .completes = Completes::Directories});
    flags.add("library", library,
              {.value = "DIR",
               .help = "Show what the symbol library in this directory (or file) offers.",
               .completes = Completes::Directories});
    add_show_sensitive_flag(flags, show_sensitive);
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
  if (!load_providers(loaded->tree, world, diags)) return std::nullopt;
  return views::config_json(loaded->tree, run_providers(world));
}

Shown show_module(const LoadOptions& options, World& world, diag::Diagnostics& diags) {
  config::NoModules none;
  const auto loaded = load_configuration(options, none, {}, world, diags);
  if (!loaded) return std::nullopt;
  return views::module_json(loaded->tree);
}

Shown show_library(const ShowOptions& options, World& world, diag::Diagnostics& diags) {
  LoneLibraries libraries(world);
  const config::Library* library = libraries.load(options.library, "-library", diags);
  if (library == nullptr) return std::nullopt;
  return options.json.json ? views::library_json(*library) : views::library_text(*library);
}

enum class What : std::uint8_t { Config, Module, Library, State, Plan, File };

std::optional<What> refuse(std::string_view summary, std::string_view detail,
                           diag::Diagnostics& diags) {
  diags.error(std::string(summary)).detail(std::string(detail));
  return std::nullopt;
}

// What the command line asks for. Nothing if and only if an error was added.
std::optional<What> chosen(const ShowOptions& options, diag::Diagnostics& diags) {
  std::optional<What> what;
  int choices = 0;
  const auto choose = [&](bool is_chosen, What which) {
    if (!is_chosen) return;
    what = which;
    ++choices;
  };
  choose(options.config, What::Config);
  choose(!options.module.empty(), What::Module);
  choose(!options.library.empty(), What::Library);
  choose(options.state, What::State);
  choose(!options.plan.empty(), What::Plan);
  choose(!options.arguments.empty(), What::File);
  if (options.arguments.size() > 1) {
    return refuse("Too many arguments",
                  "Give one state file or saved plan, or none for the current state.", diags);
  }
  if (choices > 1) {
    return refuse("Options that exclude each other",
                  "Only one thing can be shown at a time. Give one of -state, -plan=FILE, "
                  "-config, -module=DIR, -library=DIR and the path of a file.",
                  diags);
  }
  if (options.html && (options.json.json || options.show_sensitive)) {
    return refuse("Options that exclude each other",
                  "The page that -html makes is for people and never has sensitive values. Give "
                  "it without -json and -show-sensitive.",
                  diags);
  }
  if (!options.json.json_into.empty() && what && *what != What::State && *what != What::Plan &&
      *what != What::File) {
    return refuse("The -json-into option needs a state or a plan",
                  "Only the documents of states and saved plans are written to a file. Use -json.",
                  diags);
  }
  if (options.html && what != What::Plan && what != What::File) {
    return refuse("The -html option needs a saved plan",
                  "Only plans are shown as a page. Give the path of a plan that was saved with "
                  "\"tofu plan -out=FILE\".",
                  diags);
  }
  if ((what == What::Config || what == What::Module) && !options.json.json) {
    return refuse("The -json option is required",
                  "Configurations are shown only as JSON. Add the option -json.", diags);
  }
  return what.value_or(What::State);
}

Shown show_description(What what, const ShowOptions& options, World& world,
                       diag::Diagnostics& diags) {
  if (what == What::Library) return show_library(options, world, diags);
  auto how = load_options(options.configuration, world, diags);
  if (!how) return std::nullopt;
  if (what == What::Config) return show_config(*how, world, diags);
  how->directory = options.module;
  return show_module(*how, world, diags);
}

bool show_current_state(const ShowOptions& options, const Showing& showing, World& world,
                        diag::Diagnostics& diags) {
  const auto store = open_store({}, options.configuration, world, diags);
  if (!store) return false;
  const auto stored = read_for_showing(*store, world, diags);
  if (!stored) return false;
  return print_state(stored->state ? &*stored->state : nullptr, showing, world, diags);
}

bool show_plan(const ShowOptions& options, const Showing& showing, World& world,
               diag::Diagnostics& diags) {
  if (!set_up_encryption(options.configuration, world, diags)) return false;
  if (const auto bookmark = read_bookmark(options.plan)) {
    return print_remote_plan(*bookmark, options.configuration, showing, world, diags);
  }
  const auto plan = read_plan_file(options.plan, encryptions(world).plan(), diags);
  return plan && print_plan(*plan, showing, world, diags);
}

bool show_file(const ShowOptions& options, const Showing& showing, World& world,
               diag::Diagnostics& diags) {
  const std::string& path = options.arguments[0];
  if (!set_up_encryption(options.configuration, world, diags)) return false;
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read the file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return false;
  }
  if (looks_like_plan(*text)) {
    const auto plan = read_plan_bytes(*text, path, encryptions(world).plan(), diags);
    return plan && print_plan(*plan, showing, world, diags);
  }
  if (const auto bookmark = parse_bookmark(*text)) {
    return print_remote_plan(*bookmark, options.configuration, showing, world, diags);
  }
  if (showing.html) {
    diags.error("The -html option needs a saved plan")
        .detail(fmt::format("{} is not a saved plan. Only plans are shown as a page.", path));
    return false;
  }
  const auto state = read_given_state(std::move(*text), path, world, diags);
  return state && print_state(&*state, showing, world, diags);
}

bool show_one(What what, const ShowOptions& options, const Showing& showing, World& world,
              diag::Diagnostics& diags) {
  if (what == What::State) return show_current_state(options, showing, world, diags);
  if (what == What::File) return show_file(options, showing, world, diags);
  return show_plan(options, showing, world, diags);
}

bool show(const ShowOptions& options, World& world, diag::Diagnostics& diags) {
  const auto what = chosen(options, diags);
  if (!what || !options.json.check(diags)) return false;
  if (*what == What::Config || *what == What::Module || *what == What::Library) {
    const Shown text = show_description(*what, options, world, diags);
    if (text) world.out.line(*text);
    return text.has_value();
  }
  const Showing showing{
      .json = options.json.json, .html = options.html, .show_sensitive = options.show_sensitive};
  if (!show_one(*what, options, showing, world, diags)) return false;
  if (options.json.json_into.empty()) return true;
  const auto file = PrivateFile::open(options.json.json_into, diags);
  return file != nullptr &&
         show_one(*what, options, {.json = true, .into = &file->out()}, world, diags);
}

int run_show(const ShowOptions& options, World& world) {
  diag::Diagnostics diags;
  const bool good = show(options, world, diags);
  print_diagnostics(diags, world, Spacing::Close);
  return good ? kExitOk : kExitError;
}

}  // namespace

const Command kShowCommand = {
    "show",
    "Show the state, a saved plan, a configuration or a symbol library",
    "[options] [PATH]",
    "Prints the state of the current workspace, or the one in a state file, or what a saved plan "
    "would do. With -html, the plan is printed as a page to look at in a browser.\n\n"
    "With -config or -module it prints what a configuration or a module declares: variables, "
    "outputs, resources, calls of "
    "other modules, and what their expressions refer to. The form is that of the configuration in "
    "a plan's JSON document.\n\n"
    "Of a symbol library it prints the types, values and functions that it offers.",
    action<ShowOptions, run_show>(),
    Completes::Files,
};

}  // namespace tofu::commands
