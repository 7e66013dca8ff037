// A tree of labels, drawn with lines, as "tofu providers" shows requirements.
//
// The root has a dot for a label. Labels are printed as they are; children in the
// order given.
#pragma once

#include <string>
#include <vector>

namespace tofu::views {

struct LabelTree {
  std::string label;
  std::vector<LabelTree> children = {};
};

// One line for each node below `root`, after a line with the root's label.
std::string tree_text(const LabelTree& root);

}  // namespace tofu::views
