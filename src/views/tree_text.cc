#include "views/tree_text.h"

namespace tofu::views {

namespace {

void append_children(std::string& out, const LabelTree& node, const std::string& indent) {
  for (const LabelTree& child : node.children) {
    const bool last = &child == &node.children.back();
    out += indent;
    out += last ? "└── " : "├── ";
    out += child.label;
    out.push_back('\n');
    append_children(out, child, indent + (last ? "    " : "│   "));
  }
}

}  // namespace

std::string tree_text(const LabelTree& root) {
  std::string out = root.label;
  out.push_back('\n');
  append_children(out, root, "");
  return out;
}

}  // namespace tofu::views
