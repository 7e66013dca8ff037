#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "cli/report.h"
#include "commands/context.h"
#include "commands/step_graph.h"
#include "commands/table.h"
#include "eval/program.h"
#include "runs/plan_file.h"
#include "runs/plan_libraries.h"
#include "runs/run_providers.h"
#include "runs/saved_configuration.h"
#include "views/dot_text.h"
#include "workdir/command_encryption.h"
#include "workdir/configuration.h"
#include "workdir/journal_recovery.h"
#include "workdir/options.h"
#include "workdir/state_access.h"

namespace tofu::commands {

namespace {

struct GraphOptions {
  enum class Type : std::uint8_t { Plan, PlanRefreshOnly, PlanDestroy, Apply };
  std::optional<Type> type;
  std::string plan;
  bool draw_cycles = false;
  int module_depth = -1;
  bool verbose = false;
  workdir::ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(cli::FlagSet& flags) {
    static constexpr cli::Choice<Type> kTypes[] = {{"plan", Type::Plan},
                                                   {"plan-refresh-only", Type::PlanRefreshOnly},
                                                   {"plan-destroy", Type::PlanDestroy},
                                                   {"apply", Type::Apply}};
    flags.add("type", type, kTypes,
              {.value = "TYPE",
               .help = "Graph type: plan, plan-refresh-only, plan-destroy or apply. The default is "
                       "plan, or apply when -plan is given."});
    flags.add("plan", plan,
              {.value = "FILE",
               .help = "Show the graph of this saved plan.",
               .completes = cli::Completes::Files});
    flags.add("draw-cycles", draw_cycles,
              {.help = "If the graph has cycles, print it anyway and highlight them in red."});
    flags.add("module-depth", module_depth, {.least = -1},
              {.value = "N", .help = "No effect: all modules are included."});
    flags.add("verbose", verbose, {.help = "No effect."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// What the graph is made of. The configuration points into itself, so it stays where it
// was made.
struct Subject {
  std::shared_ptr<const workdir::Configuration> configuration;
  std::optional<runs::PlanFile> plan;
};

// From the saved plan or from the files in this directory.
diag::Checked<Subject> load(const GraphOptions& options, Context& context,
                            diag::Diagnostics& diags) {
  Subject subject;
  if (!options.plan.empty()) {
    runs::PlanLibraries libraries(options.plan, context.sources);
    const auto encryption = context.access.encryption(diags, {.other_libraries = &libraries});
    if (!encryption) return std::nullopt;
    subject.plan = runs::read_plan_file(options.plan, encryption->plan(), diags);
    if (!subject.plan) return std::nullopt;
    std::map<std::string, value::Value> values;
    for (const plans::VariableValue& each : subject.plan->planned.plan.variables) {
      values.insert_or_assign(each.name, each.value.deep_unmarked());
    }
    subject.configuration =
        runs::load_saved(subject.plan->context.configuration, subject.plan->context.workspace,
                         values, context.load, diags);
  } else {
    const auto how = workdir::load_options(options.configuration, context.load, diags);
    if (how) subject.configuration = workdir::load_configuration(*how, context.load, diags);
  }
  if (!subject.configuration) return std::nullopt;
  context.keep_alive.add(subject.configuration);
  return subject;
}

// The state of the workspace.
diag::Checked<state::State> read_state(const workdir::Configuration& configuration,
                                       Context& context, diag::Diagnostics& diags) {
  const auto backend = workdir::open_backend({}, configuration, context.access, diags);
  const auto store = backend ? backend->open(configuration.workspace, diags) : nullptr;
  auto stored = store ? workdir::read_for_showing(*store, context.terminal, diags) : std::nullopt;
  if (!stored) return std::nullopt;
  return stored->state ? std::move(*stored->state) : state::State();
}

std::optional<views::DotGraph> graph_of(const GraphOptions& options, Subject& subject,
                                        const eval::Program& program, Context& context,
                                        diag::Diagnostics& diags) {
  using Type = GraphOptions::Type;
  const auto state = subject.plan ? std::optional(subject.plan->planned.prior)
                                  : read_state(*subject.configuration, context, diags);
  if (!state) return std::nullopt;
  switch (options.type.value_or(subject.plan ? Type::Apply : Type::Plan)) {
    case Type::Plan:
    case Type::PlanRefreshOnly: return graph_of_planning(program, *state);
    case Type::PlanDestroy: return graph_of_destroying(program, *state);
    case Type::Apply:
      if (!subject.plan) return graph_of_applying(program, {.prior = *state});
      return graph_of_applying(program, std::move(subject.plan->planned));
  }
  base::broken_promise("a type out of range");
}

// Nothing if there is no graph, because of errors.
std::optional<std::string> draw(const GraphOptions& options, Context& context,
                                diag::Diagnostics& diags) {
  if (!cli::check_no_arguments(options.arguments, diags)) return std::nullopt;
  auto subject = load(options, context, diags);
  if (!subject) return std::nullopt;
  const std::size_t errors = diags.error_count();
  const config::Tree& tree = subject->configuration->tree;
  if (!subject->plan && !runs::check_selections(tree, context.providers, diags))
    return std::nullopt;
  if (!runs::load_providers(tree, context.providers, diags)) return std::nullopt;
  const eval::Program program = eval::compile(tree, context.providers, diags);
  if (diags.error_count() != errors) {
    // An order that was looked for and not found means that there are cycles.
    if (!options.draw_cycles || program.order.empty()) return std::nullopt;
    return views::dot_text(graph_of_planning(program, {}));
  }
  const auto graph = graph_of(options, *subject, program, context, diags);
  if (!graph) return std::nullopt;
  return views::dot_text(*graph);
}

int run_graph(const GraphOptions& options, cli::Session& session) {
  Context context(session, options);
  diag::Diagnostics diags;
  const auto text = draw(options, context, diags);
  // Warnings would be in the way of the program that reads the graph.
  if (diags.has_errors()) cli::print_diagnostics(diags, context.terminal);
  if (text) context.terminal.out.write(*text);
  return diags.has_errors() ? cli::kExitError : cli::kExitOk;
}

}  // namespace

const cli::Command kGraphCommand = {
    "graph",
    "Print a dependency graph in Graphviz format",
    "[options]",
    "Prints the steps of a plan or apply and their dependencies in Graphviz format. To render it, "
    "pipe it to a program such as dot: tofu graph | dot -Tsvg > graph.svg.",
    cli::action<GraphOptions, run_graph>(),
};

}  // namespace tofu::commands
