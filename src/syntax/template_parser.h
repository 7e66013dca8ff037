// Quoted strings, heredocs and whole texts that are templates.
//
// Reads the parts of a template one after the other, with the names that directives
// bind in them; TemplateTree then makes one expression of the parts.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <vector>

#include "syntax/bound_names.h"
#include "syntax/template_tree.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class ExpressionParser;

class TemplateParser {
 public:
  TemplateParser(TokenCursor& tokens, TreeBuilder& tree, BoundNames& names,
                 ExpressionParser& expressions)
      : tokens_(tokens), tree_(tree), names_(names), expressions_(expressions) {}

  Parsed string();      // a quoted string or a heredoc
  const Expr* whole();  // the whole text as a template

 private:
  // A directive whose end has not come yet, and what was bound before it.
  struct OpenDirective {
    bool is_for;
    BoundNames::Mark outer;
  };

  Parsed finish(TokenKind end, bool flush, const Token* open);
  diag::SourceRange read_parts(TokenKind end);
  bool interpolation(const Token& open, diag::SourceRange start, TokenKind end);
  void unclosed_interpolation(const Token& close, diag::SourceRange start, TokenKind end);
  bool directive(const Token& open, diag::SourceRange start, std::size_t first_directive);
  bool directive_part(const Token& open, const Token& keyword, std::size_t first_directive);
  bool for_directive(const Token& open);
  void add_part(PartKind kind, const Token& open, Parsed inner);

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  BoundNames& names_;
  ExpressionParser& expressions_;
  // Of all templates being read, innermost last.
  std::vector<TemplatePart> parts_;
  std::vector<OpenDirective> directives_;
  std::vector<const Expr*> items_;  // for TemplateTree
};

}  // namespace tofu::syntax
