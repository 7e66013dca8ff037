#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/wrap.h"
#include "runs/deprecation_report.h"
#include "runs/valid_program.h"
#include "workdir/configuration.h"
#include "workdir/options.h"

namespace tofu::commands {

namespace {

using runs::DeprecatedUse;

constexpr std::string_view kFormatVersion = "1.0";

enum class GroupBy : std::uint8_t { Module, Source, Author };

constexpr cli::Choice<GroupBy> kGroups[] = {
    {"module", GroupBy::Module},
    {"source", GroupBy::Source},
    {"author", GroupBy::Author},
};

struct DeprecationsOptions {
  GroupBy group = GroupBy::Source;
  std::string baseline;
  bool json = false;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add(
        "group", group, kGroups,
        {.value = "KEY",
         .help = "Group the uses by \"source\" (the default) or \"author\" of the module with the "
                 "declaration, or by the \"module\" with the use."});
    flags.add("baseline", baseline,
              {.value = "FILE",
               .help = "Write the uses to this file, for -deprecation-baseline=FILE.",
               .completes = cli::Completes::Files});
    flags.add("json", json, {.help = "Print the uses as a JSON document."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

std::string_view root_if_empty(std::string_view module) {
  return module.empty() ? "the root module" : module;
}

std::string group_of(const DeprecatedUse& use, GroupBy group) {
  switch (group) {
    case GroupBy::Module: return std::string(root_if_empty(use.user));
    case GroupBy::Source:
      if (use.author == "provider") return "providers";
      return use.source.empty() ? "the root module" : use.source;
    case GroupBy::Author: return use.author;
  }
  return {};
}

// A declaration and its uses, within a group.
std::string heading_of(const DeprecatedUse& use) {
  std::string text = use.declaration;
  if (!use.source.empty()) text += fmt::format(" of {}", use.source);
  if (use.removed_in.empty()) return text;
  const bool is_date = use.removed_in.find('-') == 4;
  return fmt::format("{}, removed {} {}", text, is_date ? "on" : "in version", use.removed_in);
}

std::string place_of(const DeprecatedUse& use) {
  if (use.file.empty()) return "a value from the command line or the environment";
  std::string text = fmt::format("{}:{}", use.file, use.line);
  if (!use.block.empty()) text += fmt::format(", in {}", use.block);
  return text;
}

// The first line of a message that may have several.
std::string_view first_line(std::string_view text) { return text.substr(0, text.find('\n')); }

std::string report(std::span<const DeprecatedUse> uses, GroupBy group) {
  std::map<std::string, std::map<std::string, std::vector<const DeprecatedUse*>>> groups;
  for (const DeprecatedUse& use : uses) {
    groups[group_of(use, group)][heading_of(use)].push_back(&use);
  }
  std::string text;
  for (const auto& [name, declarations] : groups) {
    text += name + "\n";
    for (const auto& [heading, places] : declarations) {
      text += fmt::format("  {}\n    {}\n", heading, first_line(places[0]->message));
      for (const DeprecatedUse* use : places) text += fmt::format("    - {}\n", place_of(*use));
    }
    text += "\n";
  }
  return text + fmt::format("{} use{} of deprecated declarations.\n", uses.size(),
                            uses.size() == 1 ? "" : "s");
}

std::string document(std::span<const DeprecatedUse> uses) {
  std::string text;
  base::JsonWriter json(text, "  ");
  json.begin_object();
  json.field("format_version", kFormatVersion);
  json.key("uses");
  json.begin_array();
  for (const DeprecatedUse& use : uses) {
    json.begin_object();
    json.field("declaration", use.declaration);
    json.field("module", use.module);
    json.field("source", use.source);
    json.field("author", use.author);
    json.field("message", use.message);
    if (!use.removed_in.empty()) json.field("removed_in", use.removed_in);
    json.key("use");
    json.begin_object();
    json.field("module", use.user);
    if (!use.file.empty()) {
      json.field("file", use.file);
      json.field("line", use.line);
      json.field("block", use.block);
    }
    json.end_object();
    json.end_object();
  }
  json.end_array();
  json.end_object();
  text += '\n';
  return text;
}

// Nothing only if an error was added.
std::optional<std::vector<DeprecatedUse>> gather(const DeprecationsOptions& options,
                                                 Context& context, diag::Diagnostics& diags) {
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is expected: the directory of the configuration.");
    return std::nullopt;
  }
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return std::nullopt;
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  const std::shared_ptr<const workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return std::nullopt;
  context.keep_alive.add(loaded);
  workdir::LoadContext reporting = context.load;
  reporting.deprecation_errors = false;  // they are the result
  if (!runs::compile_valid(loaded->tree, loaded->workspace, reporting, context.providers,
                           context.keep_alive, diags)) {
    return std::nullopt;
  }
  diags.sort_for_display(context.sources);
  return runs::deprecated_uses(loaded->tree, context.sources, diags.items());
}

void write_baseline(const std::string& path, std::span<const DeprecatedUse> uses,
                    diag::Diagnostics& diags) {
  const auto written =
      base::write_file(path, runs::DeprecationBaseline(uses).text(), 0644, base::Sync::No);
  if (written) return;
  diags.error("Cannot write the deprecation baseline")
      .detail(fmt::format("Writing {} failed: {}.", path, written.error().what));
}

int run_deprecations(const DeprecationsOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto uses = gather(options, context, diags);
  if (!uses) {
    cli::print_diagnostics(diags, context.terminal);
    return cli::kExitError;
  }
  diags.clear();  // the warnings are the report
  if (!options.baseline.empty()) write_baseline(options.baseline, *uses, diags);
  const std::string text = options.json ? document(*uses) : report(*uses, options.group);
  cli::Output& out = context.terminal.out;
  out.write(context.terminal.out_is_terminal ? diag::safe_for_terminal(text) : text);
  cli::print_diagnostics(diags, context.terminal);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kDeprecationsCommand = {
    "deprecations",
    "List the uses of deprecated variables, outputs and attributes",
    "[options] [DIR]",
    "Lists every use of something that its author has deprecated in the configuration in this "
    "directory, or in DIR: the declaration, when it will be removed, and the places. Modules and "
    "providers must be installed.\n\n"
    "-baseline=FILE writes the uses to a file. If \"tofu validate\" and \"tofu plan\" read it "
    "(-deprecation-baseline=FILE), -deprecation=error makes them fail on new uses only.",
    cli::action<DeprecationsOptions, run_deprecations>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands
