#include <cstdint>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/json_writer.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/json_log.h"
#include "commands/lone_library.h"
#include "commands/option_groups.h"
#include "commands/valid_program.h"
#include "diag/render_json.h"
#include "diag/wrap.h"
#include "install/module_directory.h"

namespace tofu::commands {

namespace {

struct ValidateOptions {
  std::optional<std::string> library;
  bool no_tests = false;
  bool json = false;
  std::string json_into;
  TestFileOptions tests;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("json", json,
              {.help = "Print the result as a JSON document, for editors and other programs."});
    flags.add("json-into", json_into,
              {.value = "FILE",
               .help = "Also write that JSON document to this file.",
               .completes = Completes::Files});
    flags.add("library", library,
              {.value = "DIR",
               .help = "Check the symbol library in this directory (or file) instead of the "
                       "configuration.",
               .completes = Completes::Directories});
    flags.add("no-tests", no_tests, {.help = "Ignore test files."});
    flags.include(tests);
    flags.include(configuration);
    flags.arguments(arguments);
  }
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

void print_for_people(const diag::Diagnostics& diags, Checked checked, World& world) {
  print_diagnostics(diags, world, Spacing::Close);
  if (diags.has_errors()) return;
  const std::string success = colored(world.view, Color::Green, "Success!");
  const std::string_view what = checked == Checked::Library ? "symbol library" : "configuration";
  const std::string_view rest =
      diags.empty() ? "." : ", but there were some validation warnings as shown above.";
  world.out.line(diag::wrap_text(fmt::format("{} The {} is valid{}", success, what, rest),
                                 world.environment.stdout_width));
}

void validate_tests(const config::Tree& tree, const std::string& workspace, World& world,
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
      (void)compile_valid(*test.tree, workspace, world, diags);
  }
}

Checked validate(const ValidateOptions& options, World& world, diag::Diagnostics& diags) {
  if (options.library) {
    (void)LoneLibraries(world).load(*options.library, "-library", diags);
    return Checked::Library;
  }
  auto load = load_options(options.configuration, world, diags);
  if (!load) return Checked::Configuration;
  if (!options.arguments.empty()) load->directory = options.arguments[0];
  load->equivalence = options.json ? config::Listing::Each : config::Listing::Together;
  if (!options.no_tests) load->test_directory = options.tests.directory;

  const std::shared_ptr<const Configuration> loaded = load_configuration(*load, world, diags);
  if (!loaded) return Checked::Configuration;
  world.kept.push_back(loaded);
  (void)compile_valid(loaded->tree, loaded->workspace, world, diags);
  validate_tests(loaded->tree, loaded->workspace, world, diags);
  const bool has_libraries =
      check_libraries_in(load->directory, loaded->tree.libraries.get(), world, diags);
  return has_libraries && !install::has_configuration(load->directory) ? Checked::Library
                                                                       : Checked::Configuration;
}

bool check_options(const ValidateOptions& options, diag::Diagnostics& diags) {
  if (options.arguments.size() > 1) {
    diags.error("Too many arguments")
        .detail("At most one argument is expected: the directory of the configuration.");
    return false;
  }
  if (options.library && !options.arguments.empty()) {
    diags.error("Too many arguments")
        .detail("Either a configuration is checked or the symbol library that -library names.");
    return false;
  }
  return JsonOptions{options.json, options.json_into}.check(diags);
}

int run_validate(const ValidateOptions& options, World& world) {
  diag::Diagnostics diags;
  std::unique_ptr<PrivateFile> into;
  if (check_options(options, diags) && !options.json_into.empty()) {
    into = PrivateFile::open(options.json_into, diags);
  }
  const Checked checked =
      diags.has_errors() ? Checked::Configuration : validate(options, world, diags);
  if (into != nullptr) into->out().write(result_document(diags, world));
  if (options.json) {
    world.out.write(result_document(diags, world));
  } else {
    print_for_people(diags, checked, world);
  }
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kValidateCommand = {
    "validate",
    "Check whether the configuration is valid",
    "[options]",
    "Checks that the configuration in this directory is valid by itself, "
    "whatever values its variables have and whatever exists already. No remote service is used, so "
    "it is safe to run at any time, such as whenever a file is saved.\n\n"
    "Symbol libraries are checked with it: those that its modules import and those in this "
    "directory. -library=DIR checks one library by itself.\n\n"
    "Modules have to be installed: \"tofu init -backend=false\" does that without touching a "
    "backend.",
    action<ValidateOptions, run_validate>(),
    Completes::Directories,
};

}  // namespace tofu::commands
