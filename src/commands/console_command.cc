#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/trim.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/console_input.h"
#include "commands/console_session.h"
#include "commands/journal_recovery.h"
#include "commands/json_log.h"
#include "commands/line_editor.h"
#include "commands/option_groups.h"
#include "commands/remote_workspace.h"
#include "commands/run_providers.h"
#include "commands/state_access.h"
#include "commands/valid_program.h"
#include "engine/inspection.h"
#include "eval/deprecation_warnings.h"
#include "eval/program.h"

namespace tofu::commands {

namespace {

struct ConsoleOptions {
  std::string json_into;
  std::string state;
  bool input = true;
  StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    flags.add("json-into", json_into,
              {.value = "FILE",
               .help = "Also write everything to this file, as a stream of JSON messages.",
               .completes = Completes::Files});
    flags.add("input", input,
              {.help = "Has no effect: the console never asks for values of variables."});
    add_state_flag(flags, state);
    flags.include(change);
    flags.arguments(arguments);
  }
};

class NoEvents final : public plans::EventSink {
 public:
  void on(const plans::Event&) override {}
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
    const std::string_view line = base::trim_space(rest.substr(0, end));
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

// What an expression of the root module can name: "var.region", "aws_vpc.main".
std::vector<std::string> value_names(const config::TreeNode& root) {
  const config::Module& module = *root.module;
  std::vector<std::string> out(std::begin(kRoots), std::end(kRoots));
  for (const config::Variable& variable : module.variables) out.push_back("var." + variable.name);
  for (const config::Local& local : module.locals) out.push_back("local." + local.name);
  for (const config::ModuleCall& call : module.module_calls) out.push_back("module." + call.name);
  for (const auto* resources : {&module.managed_resources, &module.data_resources}) {
    for (const config::Resource& each : *resources) out.push_back(each.address().to_string());
  }
  for (const std::string_view name : root.symbols->value_names()) out.emplace_back(name);
  return out;
}

std::vector<std::string> complete_name(const eval::Names& names, std::string_view word) {
  std::vector<std::string> out;
  if (word.empty()) return out;
  const auto& evaluation = names.evaluation();
  for (std::string& name : value_names(evaluation.program.tree->root())) {
    if (name.starts_with(word)) out.push_back(std::move(name));
  }
  for (const std::string_view name : names.function_names()) {
    if (name.starts_with(word)) out.push_back(std::string(name) + "(");
  }
  return out;
}

int run_interactive(ConsoleSession& session, ConsoleView& view,
                    const engine::Inspection& inspection) {
  const eval::Names names = inspection.names();
  LineEditor editor([&](std::string_view word) { return complete_name(names, word); });
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
    const int open = input.add_line(base::trim_space(line->text));
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

// What expressions are evaluated in. It points into itself, so it stays where it was
// made.
struct Surroundings {
  std::shared_ptr<const Configuration> configuration;
  std::shared_ptr<const eval::Program> program;
  std::map<std::string, value::Value> variables;
  eval::Facts facts;
  std::unique_ptr<backends::Store> store;  // keeps the lock
  state::State state;
  RunProviders* providers = nullptr;
  NoEvents events;
};

// The configuration with its variables, and the state. Null if and only if an error was
// added.
std::unique_ptr<Surroundings> load(const ConsoleOptions& options, World& world,
                                   diag::Diagnostics& diags) {
  auto how = load_options(options.change.configuration, world, diags);
  if (!how) return nullptr;
  how->console = true;
  const std::shared_ptr<Configuration> loaded = load_configuration(*how, world, diags);
  if (!loaded ||
      !add_workspace_variables(options.change.configuration, loaded->variables, world, diags)) {
    return nullptr;
  }
  world.kept.push_back(loaded);
  auto made = std::make_unique<Surroundings>();
  made->configuration = loaded;
  const config::Module& root = *loaded->tree.root().module;
  if (!loaded->variables.collect_given(root, made->variables, diags)) return nullptr;
  made->program = compile_program(loaded->tree, world, diags);
  if (!made->program) return nullptr;
  made->providers = &run_providers(world);
  made->facts = {loaded->workspace, world.environment.working_directory};

  const auto backend = open_backend({.state = options.state}, *loaded, world, diags);
  if (!backend) return nullptr;
  made->store = backend->open(loaded->workspace, diags);
  if (!made->store ||
      !lock_store(*made->store, "OperationTypeInvalid", options.change.lock, world, diags)) {
    return nullptr;
  }
  auto stored = read_for_showing(*made->store, world, diags);
  if (!stored) return nullptr;
  if (stored->state) made->state = std::move(*stored->state);
  return made;
}

// Evaluates all that does not depend on what is typed.
std::unique_ptr<engine::Inspection> inspect(Surroundings& in, diag::Diagnostics& diags) {
  diag::Diagnostics problems;
  auto made = std::make_unique<engine::Inspection>(
      engine::RunInputs{.program = *in.program,
                        .functions = in.configuration->functions,
                        .facts = in.facts,
                        .providers = *in.providers,
                        .events = in.events,
                        .variables = in.variables},
      in.state, problems);
  if (problems.has_errors()) {
    problems.warning("Some expressions may have unexpected results")
        .detail("What has errors has no value. It is treated as unknown.");
  }
  diags.take(std::move(problems));
  return made;
}

int run_console(const ConsoleOptions& options, World& world) {
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
  const auto loaded = load(options, world, diags);
  if (!loaded) {
    view.problems(diags);
    return kExitError;
  }
  const auto inspection = inspect(*loaded, diags);
  view.problems(diags);
  std::optional<eval::DeprecationWarnings> warnings;
  if (eval::has_deprecated(*loaded->program)) {
    warnings.emplace(*loaded->program, loaded->configuration->functions, loaded->facts);
  }
  ConsoleSession session(*inspection, world.sources, warnings ? &*warnings : nullptr);
  return world.environment.stdin_is_terminal ? run_interactive(session, view, *inspection)
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
    "Functions and everything in the root module of this directory are available: variables, "
    "locals, modules, symbol libraries, and resources as the state has them. What is not there "
    "yet is unknown, as are variables without a value and what has errors. The state is locked "
    "meanwhile, and never changed.",
    action<ConsoleOptions, run_console>(),
};

}  // namespace tofu::commands
