#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/console_input.h"
#include "commands/console_session.h"
#include "commands/json_log.h"
#include "commands/line_editor.h"
#include "commands/missing_providers.h"
#include "commands/option_groups.h"
#include "eval/deprecation_warnings.h"
#include "eval/module_scope.h"
#include "eval/program.h"
#include "functions/table.h"
#include "schema/provider.h"

namespace tofu::commands {

namespace {

struct Options {
  std::string json_into;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("json-into", json_into,
              {.value = "FILE",
               .help = "Also write everything to this file, as a stream of JSON messages.",
               .completes = Completes::Files});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

constexpr std::string_view kRoots[] = {"path.cwd", "path.module", "path.root", "terraform.applying",
                                       "terraform.workspace"};

// Where answers and problems go: to the person, and into the JSON file.
class ConsoleView {
 public:
  ConsoleView(World& world, JsonLog* log) : world_(world), log_(log) {}

  void answer(std::string_view text) {
    world_.out.line(text);
    if (log_ != nullptr) log_->info(text);
  }
  void problems(const diag::Diagnostics& diags) {
    print_diagnostics(diags, world_);
    if (log_ != nullptr) log_->diagnostics(diags);
  }
  void flush() {
    world_.out.flush();
    world_.err.flush();
  }

 private:
  World& world_;
  JsonLog* log_;
};

// Standard input is not a terminal: the first error ends the run.
int run_piped(ConsoleSession& session, ConsoleView& view, Input& in) {
  const auto text = in.read_all();
  diag::Diagnostics diags;
  if (!text) {
    diags.error("Cannot read standard input")
        .detail(fmt::format("Reading failed: {}.", text.error().what));
    view.problems(diags);
    return kExitError;
  }
  ConsoleInput input;
  std::string_view rest = *text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = trim_space(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (input.add_line(line) > 0) continue;
    const auto answer = session.handle(input.take(), diags);
    view.problems(diags);
    if (!answer) return kExitError;
    if (answer->exit) return kExitOk;
    view.answer(answer->text);
    diags.clear();
  }
  return kExitOk;
}

std::vector<std::string> complete_name(const eval::ModuleScope& scope, std::string_view word) {
  std::vector<std::string> out;
  if (word.empty()) return out;
  for (const std::string_view root : kRoots) {
    if (root.starts_with(word)) out.emplace_back(root);
  }
  for (std::string& name : scope.value_names()) {
    if (name.starts_with(word)) out.push_back(std::move(name));
  }
  for (const std::string_view name : scope.function_names()) {
    if (name.starts_with(word)) out.push_back(std::string(name) + "(");
  }
  return out;
}

int run_interactive(ConsoleSession& session, ConsoleView& view, const eval::ModuleScope& scope) {
  LineEditor editor([&](std::string_view word) { return complete_name(scope, word); });
  ConsoleInput input;
  std::string prompt = "> ";
  while (true) {
    view.flush();
    const auto line = editor.read(prompt);
    if (!line) break;
    if (line->interrupted) {
      // On an empty line it means "leave"; otherwise only "not this one".
      if (line->text.empty() && prompt == "> ") break;
      (void)input.take();
      prompt = "> ";
      continue;
    }
    const int open = input.add_line(trim_space(line->text));
    if (open > 0) {
      prompt = std::string(static_cast<std::size_t>(open), '.') + " ";
      continue;
    }
    prompt = "> ";
    diag::Diagnostics diags;
    const auto answer = session.handle(input.take(), diags);
    view.problems(diags);
    if (!answer) continue;
    if (answer->exit) break;
    view.answer(answer->text);
  }
  return kExitOk;
}

// The configuration with the values of its variables. Null if and only if an error
// was added.
std::unique_ptr<Configuration> load(const Options& options, World& world,
                                    eval::ModuleScope::Inputs& inputs, diag::Diagnostics& diags) {
  auto how = load_options(options.configuration, world, diags);
  if (!how) return nullptr;
  how->console = true;
  auto loaded = load_configuration(*how, world, diags);
  if (!loaded) return nullptr;
  const config::Module& root = *loaded->tree.root().module;
  return loaded->variables.settle(root, inputs, diags) ? std::move(loaded) : nullptr;
}

// Everything that can be evaluated before the first expression. False if none can be
// evaluated.
bool settle(eval::ModuleScope& scope, const config::Module& module, diag::Diagnostics& diags) {
  const std::size_t before = diags.size();
  const bool goes_on = scope.settle(diags);
  module.name_blocks(diags.items_from(before));
  if (goes_on && diags.has_errors()) {
    diags.warning("Some expressions may have unexpected results")
        .detail("Variables and locals with errors have no value. They are treated as unknown.");
  }
  return goes_on;
}

// What warns of deprecated outputs. Null if there are none, or if the configuration has
// errors, which are for validate to report.
std::unique_ptr<eval::DeprecationWarnings> deprecation_warnings(const Configuration& loaded,
                                                                World& world) {
  if (!eval::has_deprecated_outputs(loaded.tree)) return nullptr;
  diag::Diagnostics problems;
  report_missing_providers(loaded.tree, problems);
  eval::check_provisioners(loaded.tree, problems);
  if (problems.has_errors()) return nullptr;
  auto program = eval::compile(loaded.tree, schema::builtin_schemas(), problems);
  if (problems.has_errors()) return nullptr;
  return std::make_unique<eval::DeprecationWarnings>(
      std::move(program), loaded.functions,
      eval::Facts{loaded.workspace, world.environment.working_directory});
}

int run(const Options& options, World& world) {
  diag::Diagnostics diags;
  if (!options.arguments.empty()) {
    diags.error("Too many arguments")
        .detail("The console takes no arguments. Expressions are typed at its prompt or piped in.");
    print_diagnostics(diags, world);
    return kExitError;
  }
  std::unique_ptr<PrivateFile> into;
  std::optional<JsonLog> log;
  if (!options.json_into.empty()) {
    into = PrivateFile::open(options.json_into, diags);
    if (into == nullptr) {
      print_diagnostics(diags, world);
      return kExitError;
    }
    log.emplace(into->out(), world);
  }

  ConsoleView view(world, log ? &*log : nullptr);
  eval::ModuleScope::Inputs inputs;
  const auto loaded = load(options, world, inputs, diags);
  if (!loaded) {
    view.problems(diags);
    return kExitError;
  }
  const config::TreeNode& root = loaded->tree.root();
  eval::ModuleScope scope(root, std::move(inputs),
                          {loaded->workspace, world.environment.working_directory},
                          loaded->functions);
  const bool goes_on = settle(scope, *root.module, diags);
  view.problems(diags);
  if (!goes_on) return kExitError;
  const auto warnings = deprecation_warnings(*loaded, world);
  ConsoleSession session(scope, world.sources, warnings.get());
  return world.environment.stdin_is_terminal ? run_interactive(session, view, scope)
                                             : run_piped(session, view, world.in);
}

}  // namespace

const Command kConsoleCommand = {
    "console",
    "Try expressions at an interactive prompt",
    "[options]",
    "Reads expressions of the language and prints their values. At a terminal there is a prompt "
    "with line editing, history and completion; otherwise expressions are read from standard "
    "input, and the first error ends the run.\n\n"
    "Functions, path.*, terraform.workspace and the variables, locals and symbol libraries of the "
    "configuration in this directory are available. Resources, outputs of modules and variables "
    "without a value are unknown, and so are variables and locals that have errors. Nothing is "
    "ever changed.",
    action<Options, run>(),
};

}  // namespace tofu::commands
