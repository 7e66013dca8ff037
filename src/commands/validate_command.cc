#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>

#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/deprecation_flags.h"
#include "commands/json_log.h"
#include "commands/lone_library.h"
#include "commands/missing_providers.h"
#include "commands/root_variables.h"
#include "commands/version_mode.h"
#include "diag/render_json.h"
#include "diag/wrap.h"
#include "eval/program.h"
#include "eval/validate.h"
#include "install/module_directory.h"
#include "schema/provider.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"json", FlagKind::Bool, "false", "json",
     "Print the result as a JSON document, for editors and other programs."},
    {"json-into", FlagKind::Text, "", "json-into=FILE",
     "Also write that JSON document to this file.", Completes::Files},
    {"library", FlagKind::Text, "", "library=DIR",
     "Check the symbol library in this directory (or file) instead of the configuration.",
     Completes::Directories},
    {"no-tests", FlagKind::Bool, "false", "no-tests", "Leave test files alone."},
    kTestDirectoryFlag,
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
    kDeprecationFlag,
    kModuleDeprecationFlag,
};

constexpr std::string_view kFormatVersion = "1.0";

void write_result(base::JsonWriter& json, const diag::Diagnostics& diags,
                  const diag::SourceMap& sources) {
  json.begin_object();
  json.field("format_version", kFormatVersion);
  json.field("valid", !diags.has_errors());
  json.field("error_count", diags.error_count());
  json.field("warning_count", diags.size() - diags.error_count());
  json.key("diagnostics");
  json.begin_array();
  for (const diag::Diagnostic& diagnostic : diags.items()) {
    diag::write_json(json, diagnostic, sources);
  }
  json.end_array();
  json.end_object();
}

std::string result_document(const diag::Diagnostics& diags, const World& world) {
  std::string text;
  base::JsonWriter json(text, "  ");
  write_result(json, diags, world.sources);
  text.push_back('\n');
  return text;
}

// What was looked at, as the last line calls it.
enum class Checked : std::uint8_t { Configuration, Library };

void print_for_people(const diag::Diagnostics& diags, Checked checked, const ViewOptions& view,
                      World& world) {
  print_diagnostics(diags, view, world, Spacing::Close);
  if (diags.has_errors()) return;
  const std::string success = colored(view, Color::Green, "Success!");
  const std::string_view what = checked == Checked::Library ? "symbol library" : "configuration";
  const std::string_view rest =
      diags.empty() ? "." : ", but there were some validation warnings as shown above.";
  world.out.line(diag::wrap_text(fmt::format("{} The {} is valid{}", success, what, rest),
                                 world.environment.stdout_width));
}

// What can be said of one tree of modules without running anything.
void validate_tree(const config::Tree& tree, const std::string& workspace,
                   eval::DeprecationLevel deprecation, World& world, diag::Diagnostics& diags) {
  const std::size_t before = diags.error_count();
  report_missing_providers(tree, diags);
  eval::check_provisioners(tree, diags);
  if (diags.error_count() != before) return;

  const auto program =
      std::make_shared<const eval::Program>(eval::compile(tree, schema::builtin_schemas(), diags));
  world.kept.push_back(program);
  if (diags.error_count() != before) return;
  functions::Environment environment = function_environment(world.environment);
  environment.pure_only = true;
  const functions::Table functions(std::move(environment));
  const eval::Facts facts{workspace, world.environment.working_directory};
  eval::validate(*program, functions, facts, diags, deprecation);
}

void validate_tests(const config::Tree& tree, const std::string& workspace,
                    eval::DeprecationLevel deprecation, World& world, diag::Diagnostics& diags) {
  for (const config::TestFile& file : tree.tests) {
    config::check_test_file(file, *tree.root().module, diags);
  }
  // Only modules on this disk are the author's to mend, and each of them once.
  std::set<addrs::LocalSource> seen;
  for (const config::TestTree& test : tree.test_trees) {
    const auto& source = tree.tests[test.file].runs[test.run].module->source;
    const auto* local = source ? std::get_if<addrs::LocalSource>(&*source) : nullptr;
    if (local != nullptr && seen.insert(*local).second)
      validate_tree(*test.tree, workspace, deprecation, world, diags);
  }
}

Checked validate(const Request& request, World& world, diag::Diagnostics& diags) {
  LoadOptions options;
  const Flags& flags = request.flags;
  if (flags.is_given("library")) {
    (void)LoneLibraries(world).load(std::string(flags.text("library")), "-library", diags);
    return Checked::Library;
  }
  if (!flags.positional().empty()) options.directory = flags.positional()[0];
  const auto mode = version_check_mode(flags, world, diags);
  if (!mode) return Checked::Configuration;
  options.version_check = *mode;
  const auto deprecation = deprecation_level(flags, diags);
  if (!deprecation) return Checked::Configuration;
  options.deprecation = *deprecation;
  options.equivalence = flags.is_true("json") ? config::Listing::Each : config::Listing::Together;
  if (!flags.is_true("no-tests")) options.test_directory = flags.text(kTestDirectoryFlag.name);

  const std::shared_ptr<const Configuration> loaded =
      load_configuration(options, flags, world, diags);
  if (!loaded) return Checked::Configuration;
  world.kept.push_back(loaded);
  validate_tree(loaded->tree, loaded->workspace, *deprecation, world, diags);
  validate_tests(loaded->tree, loaded->workspace, *deprecation, world, diags);
  const bool has_libraries =
      check_libraries_in(options.directory, loaded->tree.libraries.get(), world, diags);
  return has_libraries && !install::has_configuration(options.directory) ? Checked::Library
                                                                         : Checked::Configuration;
}

int run(const Request& request, World& world) {
  diag::Diagnostics diags;
  if (request.flags.positional().size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is taken: the directory of the configuration.");
    print_diagnostics(diags, request.view, world, Spacing::Close);
    return kExitError;
  }
  if (request.flags.is_given("library") && !request.flags.positional().empty()) {
    diags.error("Too many arguments")
        .detail("Either a configuration is checked or the symbol library that -library names.");
    print_diagnostics(diags, request.view, world, Spacing::Close);
    return kExitError;
  }
  std::unique_ptr<PrivateFile> into;
  if (request.flags.is_given("json-into")) {
    into = PrivateFile::open(std::string(request.flags.text("json-into")), diags);
    if (into == nullptr) {
      print_diagnostics(diags, request.view, world, Spacing::Close);
      return kExitError;
    }
  }
  const Checked checked = validate(request, world, diags);
  if (into != nullptr) into->out().write(result_document(diags, world));
  if (request.flags.is_true("json")) {
    world.out.write(result_document(diags, world));
  } else {
    print_for_people(diags, checked, request.view, world);
  }
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kValidateCommand = {
    "validate",
    "Check whether the configuration is valid",
    "[options]",
    "Checks that the configuration in this directory can be read and makes sense by itself, "
    "whatever values its variables have and whatever exists already. Nothing outside is asked, so "
    "it is safe to run at any time, such as whenever a file is saved.\n\n"
    "Symbol libraries are checked with it: those that its modules import and those in this "
    "directory. -library=DIR checks one library by itself.\n\n"
    "Modules have to be installed: \"tofu init -backend=false\" does that without touching a "
    "backend.",
    kFlags,
    Completes::Directories,
    run,
};

}  // namespace tofu::commands
