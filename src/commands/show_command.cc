#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/json_log.h"
#include "cli/option_groups.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "documents/config_json.h"
#include "documents/library_json.h"
#include "install/module_directory.h"
#include "runs/plan_file.h"
#include "runs/plan_libraries.h"
#include "runs/remote_plan.h"
#include "runs/run_providers.h"
#include "runs/state_printing.h"
#include "state/state_file.h"
#include "views/library_markdown.h"
#include "views/library_text.h"
#include "workdir/command_encryption.h"
#include "workdir/configuration.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/root_module.h"
#include "workdir/standalone_library.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct ShowOptions {
  bool state = false;
  std::string plan;
  bool config = false;
  cli::JsonDocumentOptions json;
  bool html = false;
  std::string module;
  std::string library;
  bool markdown = false;
  bool show_sensitive = false;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("state", state,
              {.help = "Show the state of the current workspace. This is the default."});
    flags.add(
        "plan", plan,
        {.value = "FILE", .help = "Show this saved plan.", .completes = cli::Completes::Files});
    flags.add(
        "config", config,
        {.help =
             "Show the configuration of this directory, including all modules. Requires -json."});
    flags.include(json);
    flags.add(
        "html", html,
        {.help = "Print a saved plan as a self-contained HTML page, without sensitive values."});
    flags.add(
        "module", module,
        {.value = "DIR",
         .help = "Show a single module directory, which need not be initialized. Requires -json.",
         .completes = cli::Completes::Directories});
    flags.add("library", library,
              {.value = "DIR",
               .help = "Show the types, values and functions of a symbol library.",
               .completes = cli::Completes::Directories});
    flags.add("markdown", markdown,
              {.help = "With -library: print the reference of the library as Markdown."});
    cli::add_show_sensitive_flag(flags, show_sensitive);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// The text to show, without a line feed at its end.
using Shown = diag::Checked<std::string>;

Shown show_config(const workdir::LoadOptions& options, Context& context, diag::Diagnostics& diags) {
  if (!install::has_configuration(options.directory)) {
    diags.error("No configuration files").detail("This directory contains no configuration files.");
    return std::nullopt;
  }
  const auto loaded = workdir::load_configuration(options, context.load, diags);
  if (!loaded) return std::nullopt;
  if (!runs::load_providers(loaded->tree, context.providers, diags)) return std::nullopt;
  return documents::config_json(loaded->tree, context.providers);
}

Shown show_module(const workdir::LoadOptions& options, Context& context, diag::Diagnostics& diags) {
  const auto loaded = workdir::load_module_alone(options, context.load, diags);
  if (!loaded) return std::nullopt;
  return documents::module_json(loaded->tree);
}

Shown show_library(const ShowOptions& options, Context& context, diag::Diagnostics& diags) {
  workdir::StandaloneLibraries libraries(context.environment(), context.sources);
  const symbols::Library* library = libraries.load(options.library, "-library", diags);
  if (library == nullptr) return std::nullopt;
  if (options.markdown) return views::library_markdown(*library, context.sources);
  return options.json.json ? documents::library_json(*library) : views::library_text(*library);
}

enum class What : std::uint8_t { Config, Module, Library, State, Plan, File };

std::optional<What> refuse(std::string_view summary, std::string_view detail,
                           diag::Diagnostics& diags) {
  diags.error(std::string(summary)).detail(std::string(detail));
  return std::nullopt;
}

// What the command line asks for.
diag::Checked<What> chosen(const ShowOptions& options, diag::Diagnostics& diags) {
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
                  "Expected at most one argument: a state file or a saved plan. Without arguments, "
                  "the current state is shown.",
                  diags);
  }
  if (choices > 1) {
    return refuse("Conflicting options",
                  "Use only one of -state, -plan=FILE, -config, -module=DIR, -library=DIR, or the "
                  "path of a file.",
                  diags);
  }
  if (options.html && (options.json.json || options.show_sensitive)) {
    return refuse("Conflicting options",
                  "-html cannot be combined with -json or -show-sensitive: the HTML page never "
                  "includes sensitive values.",
                  diags);
  }
  if (!options.json.json_into.empty() && what && *what != What::State && *what != What::Plan &&
      *what != What::File) {
    return refuse("Invalid use of -json-into",
                  "-json-into works only with states and saved plans. Use -json.", diags);
  }
  if (options.markdown && (what != What::Library || options.json.json)) {
    return refuse(
        "Invalid use of -markdown",
        "-markdown describes a symbol library: use it with -library=DIR and without -json.", diags);
  }
  if (options.html && what != What::Plan && what != What::File) {
    return refuse("Saved plan required",
                  "-html requires the path of a plan saved with \"tofu plan -out=FILE\".", diags);
  }
  if ((what == What::Config || what == What::Module) && !options.json.json) {
    return refuse("The -json option is required",
                  "Configurations are shown only as JSON. Add -json.", diags);
  }
  return what.value_or(What::State);
}

Shown show_description(What what, const ShowOptions& options, Context& context,
                       diag::Diagnostics& diags) {
  if (what == What::Library) return show_library(options, context, diags);
  auto how = workdir::load_options(options.configuration, context.load, diags);
  if (!how) return std::nullopt;
  if (what == What::Config) return show_config(*how, context, diags);
  how->directory = options.module;
  return show_module(*how, context, diags);
}

bool show_current_state(const runs::Showing& showing, Context& context, diag::Diagnostics& diags) {
  const auto store = workdir::open_store({}, context.access, diags);
  if (!store) return false;
  const auto stored = workdir::read_for_showing(*store, context.terminal, diags);
  if (!stored) return false;
  return runs::print_state(stored->state ? &*stored->state : nullptr, showing, context.providers,
                           context.terminal, diags);
}

bool show_plan(const ShowOptions& options, const runs::Showing& showing, Context& context,
               diag::Diagnostics& diags) {
  runs::PlanLibraries libraries(options.plan, context.sources);
  const auto encryption = context.access.encryption(diags, {.other_libraries = &libraries});
  if (!encryption) return false;
  if (const auto bookmark = runs::read_bookmark(options.plan)) {
    return runs::print_remote_plan(*bookmark, showing, context.access, diags);
  }
  const auto plan = runs::read_plan_file(options.plan, encryption->plan(), diags);
  return plan && runs::print_plan(*plan, showing, context.load, context.terminal, diags);
}

bool show_file(const ShowOptions& options, const runs::Showing& showing, Context& context,
               diag::Diagnostics& diags) {
  const std::string& path = options.arguments[0];
  runs::PlanLibraries libraries(path, context.sources);
  const auto encryption = context.access.encryption(diags, {.other_libraries = &libraries});
  if (!encryption) return false;
  auto text = base::read_file(path);
  if (!text) {
    diags.error("Cannot read file")
        .detail(fmt::format("Reading {} failed: {}.", path, text.error().what));
    return false;
  }
  if (runs::looks_like_plan(*text)) {
    const auto plan = runs::read_plan_bytes(*text, path, encryption->plan(), diags);
    return plan && runs::print_plan(*plan, showing, context.load, context.terminal, diags);
  }
  if (const auto bookmark = runs::parse_bookmark(*text)) {
    return runs::print_remote_plan(*bookmark, showing, context.access, diags);
  }
  if (showing.html) {
    diags.error("Saved plan required")
        .detail(
            fmt::format("-html works only with saved plans, and {} is not a saved plan.", path));
    return false;
  }
  const auto state = workdir::read_given_state(std::move(*text), path, encryption->state(), diags);
  return state && runs::print_state(&*state, showing, context.providers, context.terminal, diags);
}

bool show_one(What what, const ShowOptions& options, const runs::Showing& showing, Context& context,
              diag::Diagnostics& diags) {
  if (what == What::State) return show_current_state(showing, context, diags);
  if (what == What::File) return show_file(options, showing, context, diags);
  return show_plan(options, showing, context, diags);
}

bool show(const ShowOptions& options, Context& context, diag::Diagnostics& diags) {
  const auto what = chosen(options, diags);
  if (!what || !options.json.check(diags)) return false;
  if (*what == What::Config || *what == What::Module || *what == What::Library) {
    const Shown text = show_description(*what, options, context, diags);
    if (text) context.terminal.out.line(*text);
    return text.has_value();
  }
  const runs::Showing showing{
      .json = options.json.json, .html = options.html, .show_sensitive = options.show_sensitive};
  if (!show_one(*what, options, showing, context, diags)) return false;
  if (options.json.json_into.empty()) return true;
  const auto file = cli::PrivateFile::open(options.json.json_into, diags);
  return file != nullptr &&
         show_one(*what, options, {.json = true, .into = &file->out()}, context, diags);
}

int run_show(const ShowOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const bool good = show(options, context, diags);
  cli::print_diagnostics(diags, context.terminal, cli::Spacing::Close);
  return good ? cli::kExitOk : cli::kExitError;
}

}  // namespace

const cli::Command kShowCommand = {
    "show",
    "Show the state, a saved plan, a configuration or a symbol library",
    "[options] [PATH]",
    "Prints the state of the current workspace, a state file, or a saved plan. With -html, prints "
    "a saved plan as an HTML page.\n\nWith -config or -module, prints the variables, outputs, "
    "resources and module calls of a configuration or module, with the references of their "
    "expressions, in the format of the configuration in plan JSON.\n\nWith -library, prints the "
    "types, values and functions of a symbol library.",
    cli::action<ShowOptions, run_show>(),
    cli::Completes::Files,
};

}  // namespace tofu::commands
