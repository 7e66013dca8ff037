// A graph in the language of Graphviz: `tofu graph | dot -Tsvg`.
//
// Nodes have a name that tells them apart and a label that people see. The outer
// form is OpenTofu's, so that what reads its graphs reads ours.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tofu::views {

struct DotNode {
  std::string name;
  std::string label;
  std::string_view shape;  // "box", "note", …; of a string that lives for ever
};

struct DotGraph {
  std::vector<DotNode> nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // rows of `nodes`: from, to
};

// Nodes, then edges (each once), sorted by name. Ends with a line feed.
std::string dot_text(const DotGraph& graph);

}  // namespace tofu::views
