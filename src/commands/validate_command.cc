#include <cstdint>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/json_log.h"
#include "cli/option_groups.h"
#include "cli/report.h"
#include "cli/view_options.h"
#include "commands/context.h"
#include "commands/table.h"
#include "diag/edit.h"
#include "diag/render_json.h"
#include "diag/source.h"
#include "diag/wrap.h"
#include "eval/deprecation_key.h"
#include "install/module_directory.h"
#include "lint/lint.h"
#include "lint/rewrites.h"
#include "runs/lint_options.h"
#include "runs/valid_program.h"
#include "syntax/edits.h"
#include "workdir/configuration.h"
#include "workdir/options.h"
#include "workdir/standalone_library.h"

namespace tofu::commands {

namespace {

struct ValidateOptions {
  std::optional<std::string> library;
  bool no_tests = false;
  bool json = false;
  std::string json_into;
  workdir::TestFileOptions tests;
  runs::LintOptions lint;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("json", json, {.help = "Print the result as JSON."});
    flags.add("json-into", json_into,
              {.value = "FILE",
               .help = "Also write the JSON result to this file.",
               .completes = cli::Completes::Files});
    flags.add(
        "library", library,
        {.value = "DIR",
         .help = "Check this symbol library (a directory or file) instead of the configuration.",
         .completes = cli::Completes::Directories});
    flags.add("no-tests", no_tests, {.help = "Skip test files."});
    flags.include(tests);
    flags.include(lint);
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

constexpr std::string_view kFormatVersion = "1.0";

// The edits that replace something deprecated, for editors.
using Edits = std::map<std::pair<diag::SourceRange, std::string>, syntax::EditGroup>;

Edits edits_of(const config::Tree& tree, const diag::SourceMap& sources) {
  Edits edits;
  for (lint::Rewrite& rewrite : lint::find_rewrites(tree, sources)) {
    edits.emplace(std::pair(rewrite.place, eval::deprecation_key(rewrite.declaration)),
                  std::move(rewrite.edits));
  }
  return edits;
}

void write_result(base::JsonWriter& json, const diag::Diagnostics& diags, const Edits& edits,
                  const diag::SourceMap& sources) {
  json.begin_object();
  json.field("format_version", kFormatVersion);
  json.field("valid", !diags.has_errors());
  json.field("error_count", diags.error_count());
  json.field("warning_count", diags.size() - diags.error_count());
  json.key("diagnostics");
  json.begin_array();
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    const auto edit =
        diagnostic.subject ? edits.find({*diagnostic.subject, diagnostic.similar_if}) : edits.end();
    diag::write_json(json, diagnostic, sources,
                     edit == edits.end() ? std::span<const diag::Edit>() : edit->second);
  }
  json.end_array();
  json.end_object();
}

std::string result_document(const diag::Diagnostics& diags, const Edits& edits, Context& context) {
  std::string text;
  base::JsonWriter json(text, "  ");
  write_result(json, diags, edits, context.sources);
  text.push_back('\n');
  return diag::json_safe_for_terminal(text);
}

// What was looked at, as the last line calls it.
enum class Checked : std::uint8_t { Configuration, Library };

struct Validated {
  Checked checked = Checked::Configuration;
  Edits edits;  // if the result is for programs
};

void print_for_people(const diag::Diagnostics& diags, Checked checked, Context& context) {
  cli::print_diagnostics(diags, context.terminal, cli::Spacing::Close);
  if (diags.has_errors()) return;
  const std::string success = cli::colored(context.terminal.view, cli::Color::Green, "Success!");
  const std::string_view what = checked == Checked::Library ? "symbol library" : "configuration";
  const std::string_view rest =
      diags.empty() ? "." : ", but there were some validation warnings as shown above.";
  context.terminal.out.line(diag::wrap_text(
      fmt::format("{} The {} is valid{}", success, what, rest), context.terminal.out_width));
}

void validate_tests(const config::Tree& tree, const std::string& workspace, Context& context,
                    diag::Diagnostics& diags) {
  for (const config::TestFile& file : tree.tests) {
    config::check_test_file(file, *tree.root().module, diags);
  }
  // Only the author of modules on this disk can fix them; each is checked once.
  std::set<addrs::LocalSource> seen;
  for (const config::TestTree& test : tree.test_trees) {
    const auto& source = tree.tests[test.file].runs[test.run].module->source;
    const auto* local = source ? std::get_if<addrs::LocalSource>(&*source) : nullptr;
    if (local != nullptr && seen.insert(*local).second)
      (void)runs::compile_valid(*test.tree, workspace, context.load, context.providers,
                                context.keep_alive, diags);
  }
}

Validated validate(const ValidateOptions& options, Context& context, diag::Diagnostics& diags) {
  if (options.library) {
    workdir::StandaloneLibraries libraries(context.environment(), context.sources);
    (void)libraries.load(*options.library, "-library", diags);
    workdir::check_examples(libraries.set(), context.environment(), diags);
    return {Checked::Library, {}};
  }
  auto load = workdir::load_options(options.configuration, context.load, diags);
  if (!load) return {};
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  if (!options.no_tests) load->test_directory = options.tests.directory;

  const std::shared_ptr<const workdir::Configuration> loaded =
      workdir::load_configuration(*load, context.load, diags);
  if (!loaded) return {};
  context.keep_alive.add(loaded);
  if (runs::compile_valid(loaded->tree, loaded->workspace, context.load, context.providers,
                          context.keep_alive, diags)) {
    lint::add_warnings(options.lint.request(), loaded->tree, context.sources, diags);
  }
  workdir::check_examples(*loaded->tree.libraries, context.environment(), diags);
  validate_tests(loaded->tree, loaded->workspace, context, diags);
  const bool has_libraries = workdir::check_libraries_in(
      load->directory, loaded->tree.libraries.get(), context.environment(), context.sources, diags);
  Validated validated;
  if (has_libraries && !install::has_configuration(load->directory)) {
    validated.checked = Checked::Library;
  }
  const bool is_for_programs = options.json || !options.json_into.empty();
  if (is_for_programs) validated.edits = edits_of(loaded->tree, context.sources);
  return validated;
}

bool check_options(const ValidateOptions& options, diag::Diagnostics& diags) {
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("Expected at most one argument: the directory of the configuration.");
    return false;
  }
  if (options.library && !options.arguments.empty()) {
    diags.error("Too many arguments")
        .detail("Specify either a configuration directory or -library, not both.");
    return false;
  }
  if (!options.lint.check(diags)) return false;
  return cli::JsonOptions{options.json, options.json_into}.check(diags);
}

int run_validate(const ValidateOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  std::unique_ptr<cli::PrivateFile> into;
  if (check_options(options, diags) && !options.json_into.empty()) {
    into = cli::PrivateFile::open(options.json_into, diags);
  }
  const Validated validated = diags.has_errors() ? Validated() : validate(options, context, diags);
  if (into != nullptr) into->out().write(result_document(diags, validated.edits, context));
  if (options.json) {
    context.terminal.out.write(result_document(diags, validated.edits, context));
  } else {
    print_for_people(diags, validated.checked, context);
  }
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kValidateCommand = {
    "validate",
    "Check whether the configuration is valid",
    "[options]",
    "Checks that the configuration is valid regardless of variable values and existing objects. "
    "Uses no remote services, so it is safe to run at any time, for example whenever a file is "
    "saved.\n\nThe check includes symbol libraries that the modules import and those in the "
    "directory. -library=DIR checks a single library.\n\nModules must be installed first: \"tofu "
    "init -backend=false\" installs them without initializing the backend.",
    cli::action<ValidateOptions, run_validate>(),
    cli::Completes::Directories,
};

}  // namespace tofu::commands
