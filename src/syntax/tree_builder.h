// Making the nodes of a syntax tree, and watching how deep it becomes.
//
// Every node goes through here, so that no tree is nested deeper than kMaxNesting and no
// parser recurses deeper than that. Beyond, one error is reported and nothing more is
// read, because what comes after such nesting is no better.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "syntax/ast.h"
#include "syntax/parser.h"
#include "syntax/token_cursor.h"
#include "value/value.h"

namespace tofu::syntax {

// An expression and how many nodes deep it is. A chain of left operands counts as one
// (see ast.h).
struct Parsed {
  const Expr* expr;
  int height;
};

class TreeBuilder {
 public:
  // `depth` is how deep the text already is inside something else.
  TreeBuilder(File& file, TokenCursor& tokens, int depth)
      : arena_(file.arena), constants_(file.constants), tokens_(tokens), depth_(depth) {}

  template <class Node, class... Fields>
  Node* node(diag::SourceRange at, Fields&&... fields) {
    return arena_.make<Node>(Expr{Node::kKind, false, at}, std::forward<Fields>(fields)...);
  }
  // `height` is that of the highest child.
  template <class Node>
  Parsed above(int height, const Node* made) {
    return height >= kMaxNesting ? too_deep(made->range) : Parsed{made, height + 1};
  }
  // Stands where something could not be read.
  [[gnu::cold]] Parsed invalid(diag::SourceRange at) { return {node<InvalidExpr>(at), 1}; }
  [[gnu::cold]] Parsed too_deep(diag::SourceRange at);
  bool gave_up() const { return gave_up_; }

  // Moves the entries from `first` on into the tree. Lists of all levels are built in
  // one vector, so that they share its memory.
  template <class T>
  std::span<const T> take_from(std::vector<T>& list, std::size_t first) {
    const auto taken = arena_.copy(std::span(std::as_const(list)).subspan(first));
    list.resize(first);
    return taken;
  }

  base::Arena& arena() { return arena_; }
  value::ConstantPool& constants() { return constants_; }
  const value::Value* keep_string(std::string_view text);

 private:
  friend class Level;

  base::Arena& arena_;
  value::ConstantPool& constants_;
  TokenCursor& tokens_;
  int depth_;
  bool gave_up_ = false;
};

// Counts one more level of recursion for as long as it lives.
class Level {
 public:
  explicit Level(TreeBuilder& tree) : tree_(tree) { ++tree_.depth_; }
  Level(const Level&) = delete;
  Level& operator=(const Level&) = delete;
  ~Level() { --tree_.depth_; }
  bool too_deep() const { return tree_.depth_ > kMaxNesting; }

 private:
  TreeBuilder& tree_;
};

}  // namespace tofu::syntax
