#include <fmt/format.h>
#include <optional>
#include <string>
#include <utility>

#include "base/check.h"
#include "commands/command.h"
#include "commands/configuration.h"
#include "commands/missing_providers.h"
#include "commands/root_variables.h"
#include "commands/version_mode.h"
#include "eval/program.h"
#include "schema/provider.h"
#include "views/dot_text.h"

namespace tofu::commands {

namespace {

constexpr Flag kFlags[] = {
    {"type", FlagKind::Text, "plan", "type=plan",
     "Which graph to draw. Only that of a plan is there yet."},
    kVarFlag,
    kVarFileFlag,
    kVersionCheckFlag,
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
    // The start and the end of a module are told apart by what they are called.
    if (kind == ObjectKind::ModuleEnd) name += " (all)";
    graph.nodes.push_back({name, name, shape_of(kind)});
    for (const std::uint32_t other : program.waits.of(i)) {
      if (other != 0) graph.edges.emplace_back(i - 1, other - 1);
    }
  }
  return graph;
}

bool check_flags(const Flags& flags, diag::Diagnostics& diags) {
  if (!check_no_arguments(flags, diags)) return false;
  if (flags.text("type") != "plan") {
    diags.error("No such graph")
        .detail(fmt::format("This version cannot draw a graph of type {:?}. It can draw \"plan\".",
                            flags.text("type")));
    return false;
  }
  return true;
}

// Nothing if and only if an error was added.
std::optional<std::string> draw(const Flags& flags, World& world, diag::Diagnostics& diags) {
  if (!check_flags(flags, diags)) return std::nullopt;
  LoadOptions options;
  const auto mode = version_check_mode(flags, world, diags);
  if (!mode) return std::nullopt;
  options.version_check = *mode;
  const auto loaded = load_configuration(options, flags, world, diags);
  if (!loaded) return std::nullopt;
  const std::size_t errors = diags.error_count();
  report_missing_providers(loaded->tree, diags);
  if (diags.error_count() != errors) return std::nullopt;
  const eval::Program program = eval::compile(loaded->tree, schema::builtin_schemas(), diags);
  if (diags.error_count() != errors) return std::nullopt;
  return views::dot_text(graph_of(program));
}

int run(const Request& request, World& world) {
  diag::Diagnostics diags;
  const auto text = draw(request.flags, world, diags);
  print_diagnostics(diags, request.view, world);
  if (!text) return kExitError;
  world.out.write(*text);
  return kExitOk;
}

}  // namespace

const Command kGraphCommand = {
    "graph",
    "Draw what depends on what in the configuration",
    "[options]",
    "Prints the objects of the configuration in this directory and what each of them waits for, in "
    "the language of Graphviz. To see it, pipe it into a program such as dot: tofu graph | dot "
    "-Tsvg > graph.svg.",
    kFlags,
    Completes::Nothing,
    run,
};

}  // namespace tofu::commands
