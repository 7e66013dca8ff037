// Parses the operators that follow a term: .name, .0, [key], .* and [*]; and traversals as a text
// of their own.
//
// Steps are collected for as long as they are constant; a key that has to be evaluated,
// or a splat, makes an expression of what came before it.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "diag/checked.h"
#include "syntax/bound_names.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class ExpressionParser;

class TraversalParser {
 public:
  TraversalParser(TokenCursor& tokens, TreeBuilder& tree, BoundNames& names,
                  ExpressionParser& expressions)
      : tokens_(tokens), tree_(tree), names_(names), expressions_(expressions) {}

  // `term` and what follows it.
  Parsed after(Parsed term) {
    const TokenKind next = tokens_.peek().kind;
    if (next != TokenKind::Dot && next != TokenKind::OpenBracket) return term;
    return postfix_of(term);
  }
  // A name that was read just now, which may be bound here, and what follows it.
  Parsed after_name(std::string_view word, diag::SourceRange at);

  // The whole text as a traversal. Stricter than expressions, and without recovery, because nothing
  // follows.
  diag::Checked<Traversal> whole(bool allow_splat);

 private:
  // Steps being collected after `source`, or after a root name if that is null.
  struct Chain {
    const Expr* source = nullptr;
    int height = 0;
    std::string_view root;
    diag::SourceRange root_range;
    std::optional<std::uint32_t> slot;  // of a root name that is bound here
    std::size_t first_step = 0;         // in steps_
    diag::SourceRange range;
  };

  Parsed postfix_of(Parsed term);
  Parsed postfix(Chain chain);
  std::span<const TraversalStep> dotted_names();
  Parsed finish_chain(Chain& chain);
  // A variable, or a name that is bound here.
  Parsed chain_after(const Traversal& read, std::optional<std::uint32_t> slot);
  const Expr* root_expr(const Traversal& traversal, std::optional<std::uint32_t> slot) {
    if (slot) return tree_.node<LocalExpr>(traversal.range, *slot, traversal);
    return tree_.node<VariableExpr>(traversal.range, traversal);
  }
  void rebase(Chain& chain, Parsed source);
  void add_step(Chain& chain, TraversalStep step);
  void dot(Chain& chain);
  void legacy_index(Chain& chain, const Token& dot);
  void chained_index_error(const Token& number, diag::SourceRange at);
  void attribute_splat(Chain& chain, const Token& dot);
  bool splat_step(const Token& star);
  void bracket(Chain& chain);
  Token unclosed_bracket(std::string summary, std::string_view wanted, const Token& found);
  void full_splat(Chain& chain, const Token& open);
  bool traversal_attribute(const Token& root);
  bool traversal_index(const Token& root, bool allow_splat);
  bool close_index(const Token& open, StepKind kind, const value::Value* key);

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  BoundNames& names_;
  ExpressionParser& expressions_;
  std::vector<TraversalStep> steps_;  // of all chains being collected, innermost last
};

}  // namespace tofu::syntax
