#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/trim.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/input.h"
#include "cli/json_log.h"
#include "cli/line_editor.h"
#include "cli/report.h"
#include "commands/console_input.h"
#include "commands/console_session.h"
#include "commands/context.h"
#include "commands/table.h"
#include "engine/inspection.h"
#include "eval/deprecation_warnings.h"
#include "eval/program.h"
#include "runs/run_providers.h"
#include "runs/valid_program.h"
#include "workdir/configuration.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/remote_workspace.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct ConsoleOptions {
  std::string json_into;
  std::string state;
  bool input = true;
  workdir::StateChangeOptions change;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    flags.add("json-into", json_into,
              {.value = "FILE",
               .help = "Also write the output to this file, as a stream of JSON messages.",
               .completes = cli::Completes::Files});
    flags.add("input", input, {.help = "No effect: the console never prompts for variables."});
    workdir::add_state_flag(flags, state);
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
  ConsoleView(Context& context, cli::JsonLog* log) : context_(context), log_(log) {}

  void answer(std::string_view text) {
    context_.terminal.out.line(text);
    if (log_ != nullptr) log_->info(text);
  }
  void problems(const diag::Diagnostics& diags) {
    cli::print_diagnostics(diags, context_.terminal);
    if (log_ != nullptr) log_->diagnostics(diags);
  }
  void flush() {
    context_.terminal.out.flush();
    context_.terminal.err.flush();
  }

 private:
  Context& context_;
  cli::JsonLog* log_;
};

// Standard input is not a terminal: the first error ends the run.
int run_piped(ConsoleSession& session, ConsoleView& view, cli::Input& in) {
  const auto text = in.read_all();
  diag::Diagnostics diags;
  if (!text) {
    diags.error("Cannot read standard input")
        .detail(fmt::format("Reading failed: {}.", text.error().what));
    view.problems(diags);
    return cli::kExitError;
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
    if (!answer) return cli::kExitError;
    if (answer->exit) return cli::kExitOk;
    view.answer(answer->text);
    diags.clear();
  }
  return cli::kExitOk;
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

std::vector<std::string> complete_name(const eval::ModuleScope& names, std::string_view word) {
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
  const eval::ModuleScope names = inspection.names();
  cli::LineEditor editor([&](std::string_view word) { return complete_name(names, word); });
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
  return cli::kExitOk;
}

// What expressions are evaluated in. It points into itself, so it stays where it was
// made.
struct ConsoleEnvironment {
  std::shared_ptr<const workdir::Configuration> configuration;
  std::shared_ptr<const eval::Program> program;
  std::map<std::string, value::Value> variables;
  eval::RunInfo facts;
  std::unique_ptr<backends::Store> store;  // keeps the lock
  state::State state;
  runs::RunProviders* providers = nullptr;
  NoEvents events;
};

// The configuration with its variables, and the state.
diag::Checked<std::unique_ptr<ConsoleEnvironment>> load(const ConsoleOptions& options,
                                                        Context& context,
                                                        diag::Diagnostics& diags) {
  auto how = workdir::load_options(options.change.configuration, context.load, diags);
  if (!how) return nullptr;
  how->console = true;
  const std::shared_ptr<workdir::Configuration> loaded =
      workdir::load_configuration(*how, context.load, diags);
  if (!loaded || !workdir::add_workspace_variables(loaded->variables, context.access, diags)) {
    return nullptr;
  }
  context.keep_alive.add(loaded);
  auto made = std::make_unique<ConsoleEnvironment>();
  made->configuration = loaded;
  const config::Module& root = *loaded->tree.root().module;
  if (!loaded->variables.collect_given(root, made->variables, diags)) return nullptr;
  if (!runs::check_selections(loaded->tree, context.providers, diags)) return nullptr;
  made->program = runs::compile_program(loaded->tree, context.providers, context.keep_alive, diags);
  if (!made->program) return nullptr;
  made->providers = &context.providers;
  made->facts = {loaded->workspace, context.environment().working_directory};

  const auto backend =
      workdir::open_backend({.state = options.state}, *loaded, context.access, diags);
  if (!backend) return nullptr;
  made->store = backend->open(loaded->workspace, diags);
  if (!made->store ||
      !workdir::lock_store(*made->store, "OperationTypeInvalid", options.change.lock,
                           context.settings, context.cancellation, diags)) {
    return nullptr;
  }
  auto stored = workdir::read_for_showing(*made->store, context.terminal, diags);
  if (!stored) return nullptr;
  if (stored->state) made->state = std::move(*stored->state);
  return made;
}

// Evaluates all that does not depend on what is typed.
std::unique_ptr<engine::Inspection> inspect(ConsoleEnvironment& in, diag::Diagnostics& diags) {
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
        .detail("Expressions that have errors are treated as unknown.");
  }
  diags.take(std::move(problems));
  return made;
}

int run_console(const ConsoleOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  if (!options.arguments.empty()) {
    diags.error("Too many arguments")
        .detail(
            "The console takes no arguments. Type expressions at its prompt, or pipe them to "
            "standard input.");
    cli::print_diagnostics(diags, context.terminal);
    return cli::kExitError;
  }
  std::unique_ptr<cli::PrivateFile> into;
  std::optional<cli::JsonLog> log;
  if (!options.json_into.empty()) {
    into = cli::PrivateFile::open(options.json_into, diags);
    if (into == nullptr) {
      cli::print_diagnostics(diags, context.terminal);
      return cli::kExitError;
    }
    log.emplace(into->out(), context.environment(), context.sources);
  }

  ConsoleView view(context, log ? &*log : nullptr);
  const auto loaded = load(options, context, diags);
  if (!loaded) {
    view.problems(diags);
    return cli::kExitError;
  }
  const auto inspection = inspect(*loaded, diags);
  view.problems(diags);
  std::optional<eval::DeprecationWarnings> warnings;
  if (eval::has_deprecated(*loaded->program)) {
    warnings.emplace(*loaded->program, loaded->configuration->functions, loaded->facts);
  }
  ConsoleSession console(*inspection, context.sources, warnings ? &*warnings : nullptr);
  return context.terminal.in_is_terminal ? run_interactive(console, view, *inspection)
                                         : run_piped(console, view, context.terminal.in);
}

}  // namespace

const cli::Command kConsoleCommand = {
    "console",
    "Evaluate expressions at an interactive prompt",
    "[options]",
    "Evaluates expressions and prints their values. On a terminal, the console has a prompt with "
    "line editing, history and completion. Otherwise it reads expressions from standard input and "
    "stops at the first error.\n\nExpressions can use functions and all objects of the root "
    "module: variables, locals, modules, symbol libraries, and resources from the state. Values "
    "that do not exist yet, variables without a value, and expressions with errors are unknown. "
    "The console locks the state and never changes it.",
    cli::action<ConsoleOptions, run_console>(),
};

}  // namespace tofu::commands
