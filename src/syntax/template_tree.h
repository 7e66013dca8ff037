// The pieces of a template, and the tree that they make.
//
// A template is read as a flat list of parts; only then is it known which of them a
// directive encloses.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "syntax/tree_builder.h"

namespace tofu::syntax {

enum class PartKind : std::uint8_t { Literal, Interpolation, If, For, Else, EndIf, EndFor, End };

struct TemplatePart {
  PartKind kind;
  diag::SourceRange range;
  std::string_view text = {};      // of a Literal, in the source or the arena
  const Expr* expr = nullptr;      // the interpolated expression, the condition, the collection
  int height = 0;                  // of `expr`
  std::string_view key_name = {};  // of a For
  std::string_view value_name = {};
  std::uint32_t key_slot = 0;
};

// Implements <<-: takes as many spaces from the start of every line as the least indented line has.
// Only literal text counts, not the values of interpolations, and blank lines neither count nor
// change.
void flush_indentation(std::span<TemplatePart> parts);

class TemplateTree {
 public:
  // The last of `parts` is an End. `items` is empty, and memory to work in.
  TemplateTree(std::span<const TemplatePart> parts, std::vector<const Expr*>& items,
               TokenCursor& tokens, TreeBuilder& tree)
      : parts_(parts), items_(items), tokens_(tokens), tree_(tree) {}

  // All parts as one expression, which stands at `at`.
  Parsed make(diag::SourceRange at, bool heredoc);

 private:
  PartKind next() const { return parts_[place_].kind; }
  Parsed template_of(std::size_t first_item, int height, diag::SourceRange at, bool heredoc);
  Parsed item();
  Parsed literal();
  int items();
  Parsed branch(std::size_t first_item, int height, diag::SourceRange empty);
  Parsed wrong_end(const TemplatePart& open);
  Parsed conditional();
  Parsed loop();
  const Expr* literal_part(std::string_view content, diag::SourceRange at) {
    return tree_.node<LiteralExpr>(at, tree_.keep_string(content));
  }

  std::span<const TemplatePart> parts_;
  std::size_t place_ = 0;  // in parts_
  std::vector<const Expr*>& items_;
  TokenCursor& tokens_;
  TreeBuilder& tree_;
};

}  // namespace tofu::syntax
