#include "views/dot_text.h"

#include <algorithm>
#include <fmt/format.h>

namespace tofu::views {

namespace {

std::string quoted(std::string_view text) {
  std::string out;
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
  return out;
}

}  // namespace

std::string dot_text(const DotGraph& graph) {
  std::vector<std::string> nodes;
  for (const DotNode& node : graph.nodes) {
    nodes.push_back(fmt::format("\t\t{} [label = {}, shape = {}]\n", quoted("[root] " + node.name),
                                quoted(node.label), quoted(node.shape)));
  }
  std::vector<std::string> edges;
  for (const auto& [from, to] : graph.edges) {
    edges.push_back(fmt::format("\t\t{} -> {}\n", quoted("[root] " + graph.nodes[from].name),
                                quoted("[root] " + graph.nodes[to].name)));
  }
  std::ranges::sort(nodes);
  std::ranges::sort(edges);
  const auto repeated = std::ranges::unique(edges);
  edges.erase(repeated.begin(), repeated.end());
  std::string out =
      "digraph {\n\tcompound = \"true\"\n\tnewrank = \"true\"\n\tsubgraph \"root\" {\n";
  for (const std::string& node : nodes) out += node;
  for (const std::string& edge : edges) out += edge;
  out += "\t}\n}\n";
  return out;
}

}  // namespace tofu::views
