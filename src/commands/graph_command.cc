#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/missing_providers.h"
#include "commands/option_groups.h"
#include "eval/program.h"
#include "schema/provider.h"
#include "views/dot_text.h"

namespace tofu::commands {

namespace {

struct Options {
  enum class Type : std::uint8_t { Plan };
  Type type = Type::Plan;
  ConfigurationOptions configuration;

  void declare(FlagSet& flags) {
    static constexpr Choice<Type> kTypes[] = {{"plan", Type::Plan}};
    flags.add(
        "type", type, kTypes,
        {.value = "plan", .help = "Which graph to draw. Only that of a plan is supported yet."});
    flags.include(configuration);
  }
};

using eval::ObjectKind;

std::string_view shape_of(ObjectKind kind) {
  switch (kind) {
    case ObjectKind::Resource:
    case ObjectKind::Import: return "box";
    case ObjectKind::Provider: return "diamond";
    case ObjectKind::Argument:
    case ObjectKind::Variable: return "note";
    case ObjectKind::Local:
    case ObjectKind::Output:
    case ObjectKind::Check: return "ellipse";
    case ObjectKind::ModuleStart:
    case ObjectKind::ModuleEnd: return "folder";
  }
  base::broken_promise("object kind out of range");
}

views::DotGraph graph_of(const eval::Program& program) {
  views::DotGraph graph;
  // Row 0 is the start of the root module, which no call makes: everything waits for
  // it and it says nothing.
  for (std::uint32_t i = 1; i < program.objects.size(); ++i) {
    const ObjectKind kind = program.objects[i].kind;
    std::string name = eval::describe(program, {i});
    // The start and the end of a module differ only by what they are called.
    if (kind == ObjectKind::ModuleEnd) name += " (all)";
    graph.nodes.push_back({name, name, shape_of(kind)});
    for (const std::uint32_t other : program.waits.of(i)) {
      if (other != 0) graph.edges.emplace_back(i - 1, other - 1);
    }
  }
  return graph;
}

// Nothing if and only if an error was added.
std::optional<std::string> draw(const Options& options, World& world, diag::Diagnostics& diags) {
  const auto how = load_options(options.configuration, world, diags);
  if (!how) return std::nullopt;
  const auto loaded = load_configuration(*how, world, diags);
  if (!loaded) return std::nullopt;
  const std::size_t errors = diags.error_count();
  report_missing_providers(loaded->tree, diags);
  if (diags.error_count() != errors) return std::nullopt;
  const eval::Program program = eval::compile(loaded->tree, schema::builtin_schemas(), diags);
  if (diags.error_count() != errors) return std::nullopt;
  return views::dot_text(graph_of(program));
}

int run(const Options& options, World& world) {
  diag::Diagnostics diags;
  const auto text = draw(options, world, diags);
  print_diagnostics(diags, world);
  if (!text) return kExitError;
  world.out.write(*text);
  return kExitOk;
}

}  // namespace

const Command kGraphCommand = {
    "graph",
    "Draw what depends on what in the configuration",
    "[options]",
    "Prints the objects of the configuration in this directory and what each of them depends on, "
    "in "
    "the language of Graphviz. To see it, pipe it into a program such as dot: tofu graph | dot "
    "-Tsvg > graph.svg.",
    action<Options, run>(),
};

}  // namespace tofu::commands
