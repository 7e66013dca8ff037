#include "views/dot_text.h"

#include <algorithm>
#include <fmt/format.h>

#include "diag/wrap.h"

namespace tofu::views {

namespace {

// A state can have an output of any name, which must not drive the terminal.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : diag::safe_for_terminal(text)) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string quoted(std::string_view text) { return '"' + escaped(text) + '"'; }

}  // namespace

std::string dot_text(const DotGraph& graph) {
  std::vector<const DotNode*> nodes;
  for (const DotNode& node : graph.nodes) {
    if (!node.shape.empty()) nodes.push_back(&node);
  }
  std::ranges::sort(nodes, {}, [](const DotNode* node) { return escaped(node->name); });
  const auto edge = [&](std::uint32_t from, std::uint32_t to) {
    return fmt::format("\t\t{} -> {}", quoted("[root] " + graph.nodes[from].name),
                       quoted("[root] " + graph.nodes[to].name));
  };
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph.edges) edges.push_back(edge(from, to));
  std::ranges::sort(edges);
  const auto repeated = std::ranges::unique(edges);
  edges.erase(repeated.begin(), repeated.end());
  for (const std::vector<std::uint32_t>& cycle : graph.cycles) {
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      edges.push_back(edge(cycle[i], cycle[(i + 1) % cycle.size()]) +
                      " [color = \"red\", penwidth = \"2.0\"]");
    }
  }
  std::string out =
      "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
  for (const DotNode* node : nodes) {
    out += fmt::format("\t\t{} [label = {}, shape = {}]\n", quoted("[root] " + node->name),
                       quoted(node->label), quoted(node->shape));
  }
  for (const std::string& line : edges) out += line + "\n";
  out += "\t}\n}\n\n";
  return out;
}

}  // namespace tofu::views
