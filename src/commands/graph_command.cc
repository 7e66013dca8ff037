#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "commands/command.h"
#include "commands/command_encryption.h"
#include "commands/configuration.h"
#include "commands/journal_recovery.h"
#include "commands/option_groups.h"
#include "commands/plan_file.h"
#include "commands/run_providers.h"
#include "commands/saved_configuration.h"
#include "commands/state_access.h"
#include "commands/step_graph.h"
#include "eval/program.h"
#include "views/dot_text.h"

namespace tofu::commands {

namespace {

struct GraphOptions {
  enum class Type : std::uint8_t { Plan, PlanRefreshOnly, PlanDestroy, Apply };
  std::optional<Type> type;
  std::string plan;
  bool draw_cycles = false;
  int module_depth = -1;
  bool verbose = false;
  ConfigurationOptions configuration;
  std::vector<std::string> arguments;

  void declare(FlagSet& flags) {
    static constexpr Choice<Type> kTypes[] = {{"plan", Type::Plan},
                                              {"plan-refresh-only", Type::PlanRefreshOnly},
                                              {"plan-destroy", Type::PlanDestroy},
                                              {"apply", Type::Apply}};
    flags.add("type", type, kTypes,
              {.value = "TYPE",
               .help = "Which graph to draw: plan, plan-refresh-only, plan-destroy or apply. "
                       "Without it, that of a plan, or of applying the plan that -plan gives."});
    flags.add("plan", plan,
              {.value = "FILE",
               .help = "Draw what this saved plan does.",
               .completes = Completes::Files});
    flags.add("draw-cycles", draw_cycles,
              {.help = "If there are circular references, draw the graph all the same and show "
                       "them in red."});
    flags.add("module-depth", module_depth, {.least = -1},
              {.value = "N", .help = "Has no effect any more; all modules are drawn."});
    flags.add("verbose", verbose, {.help = "Has no effect any more."});
    flags.include(configuration);
    flags.arguments(arguments);
  }
};

// What the graph is made of. The configuration points into itself, so it stays where it
// was made.
struct Subject {
  std::shared_ptr<const Configuration> configuration;
  std::optional<PlanFile> plan;
};

// From the saved plan or from the files in this directory. Nothing if and only if an
// error was added.
std::optional<Subject> load(const GraphOptions& options, World& world, diag::Diagnostics& diags) {
  Subject subject;
  if (!options.plan.empty()) {
    if (!set_up_encryption(options.configuration, world, diags)) return std::nullopt;
    subject.plan = read_plan_file(options.plan, encryptions(world).plan(), diags);
    if (!subject.plan) return std::nullopt;
    std::map<std::string, value::Value> values;
    for (const plans::VariableValue& each : subject.plan->planned.plan.variables) {
      values.insert_or_assign(each.name, each.value.deep_unmarked());
    }
    subject.configuration = load_saved(subject.plan->context.configuration,
                                       subject.plan->context.workspace, values, world, diags);
  } else {
    const auto how = load_options(options.configuration, world, diags);
    if (how) subject.configuration = load_configuration(*how, world, diags);
  }
  if (!subject.configuration) return std::nullopt;
  world.kept.push_back(subject.configuration);
  return subject;
}

// The state of the workspace. Nothing if and only if an error was added.
std::optional<state::State> read_state(const Configuration& configuration, World& world,
                                       diag::Diagnostics& diags) {
  const auto backend = open_backend({}, configuration, world, diags);
  const auto store = backend ? backend->open(configuration.workspace, diags) : nullptr;
  auto stored = store ? read_for_showing(*store, world, diags) : std::nullopt;
  if (!stored) return std::nullopt;
  return stored->state ? std::move(*stored->state) : state::State();
}

std::optional<views::DotGraph> graph_of(const GraphOptions& options, const Subject& subject,
                                        const eval::Program& program, World& world,
                                        diag::Diagnostics& diags) {
  using Type = GraphOptions::Type;
  const auto state = subject.plan ? std::optional(subject.plan->planned.prior)
                                  : read_state(*subject.configuration, world, diags);
  if (!state) return std::nullopt;
  switch (options.type.value_or(subject.plan ? Type::Apply : Type::Plan)) {
    case Type::Plan:
    case Type::PlanRefreshOnly: return graph_of_planning(program, *state);
    case Type::PlanDestroy: return graph_of_destroying(program, *state);
    case Type::Apply:
      if (!subject.plan) return graph_of_applying(program, {}, *state);
      return graph_of_applying(program, subject.plan->planned.plan, *state);
  }
  base::broken_promise("a type out of range");
}

// Nothing if there is no graph, because of errors.
std::optional<std::string> draw(const GraphOptions& options, World& world,
                                diag::Diagnostics& diags) {
  if (!check_no_arguments(options.arguments, diags)) return std::nullopt;
  const auto subject = load(options, world, diags);
  if (!subject) return std::nullopt;
  const std::size_t errors = diags.error_count();
  const config::Tree& tree = subject->configuration->tree;
  if (!load_providers(tree, world, diags)) return std::nullopt;
  const eval::Program program = eval::compile(tree, run_providers(world), diags);
  if (diags.error_count() != errors) {
    // An order that was looked for and not found means that there are cycles.
    if (!options.draw_cycles || program.order.empty()) return std::nullopt;
    return views::dot_text(graph_of_planning(program, {}));
  }
  const auto graph = graph_of(options, *subject, program, world, diags);
  if (!graph) return std::nullopt;
  return views::dot_text(*graph);
}

int run_graph(const GraphOptions& options, World& world) {
  diag::Diagnostics diags;
  const auto text = draw(options, world, diags);
  // Warnings would be in the way of the program that reads the graph.
  if (diags.has_errors()) print_diagnostics(diags, world);
  if (text) world.out.write(*text);
  return diags.has_errors() ? kExitError : kExitOk;
}

}  // namespace

const Command kGraphCommand = {
    "graph",
    "Draw what depends on what in the configuration",
    "[options]",
    "Prints the steps of a plan or of applying it and what each of them waits for, in the language "
    "of Graphviz. To see it, pipe it into a program such as dot: tofu graph | dot -Tsvg > "
    "graph.svg.",
    action<GraphOptions, run_graph>(),
};

}  // namespace tofu::commands
