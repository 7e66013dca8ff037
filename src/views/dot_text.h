// A graph in the language of Graphviz: `tofu graph | dot -Tsvg`.
//
// Nodes have a unique name and a label for people. The outer form is OpenTofu's, so that what reads
// its graphs reads ours.
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
  // "box", "note", …; of a string that lives for ever. One without a shape appears where
  // edges name it.
  std::string_view shape;
};

struct DotGraph {
  std::vector<DotNode> nodes;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // rows of `nodes`: from, to
  std::vector<std::vector<std::uint32_t>> cycles = {};         // closed walks, drawn in red
};

// Nodes, then edges (each once), sorted by name. Ends with an empty line.
std::string dot_text(const DotGraph& graph);

}  // namespace tofu::views
