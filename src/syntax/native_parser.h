// The recursive-descent parser of native syntax, made of its parts.
//
// One object reads one text, which is a whole source or a string inside a JSON source. The parts
// share a cursor in the tokens and the builder of the tree; each keeps its own intermediate
// results:
//
//   TokenCursor       where we are, and how to go on after an error
//   TreeBuilder       nodes, and how deep they are
//   ExpressionParser  operators and calls, with the parts for what is inside:
//     CollectionParser, TraversalParser, TemplateParser, and the names bound there
//   BodyParser        arguments and blocks
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <string_view>

#include "diag/checked.h"
#include "syntax/body_parser.h"
#include "syntax/expression_parser.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class NativeParser {
 public:
  // `at` is the place of `text` in its file: its start is exact, but its end may be shifted if
  // escapes were removed. `depth` is how deep the text already is inside something else.
  NativeParser(File& file, std::string_view text, diag::SourceRange at, ScanMode mode,
               diag::Diagnostics& diags, int depth = 0)
      : tokens_(text, at, mode, diags),
        tree_(file, tokens_, depth),
        expressions_(tokens_, tree_),
        bodies_(tokens_, tree_, expressions_) {}

  const NativeBody* whole_body() { return bodies_.whole(); }
  const Expr* whole_expression() { return expressions_.whole(); }
  const Expr* whole_template() { return expressions_.templates().whole(); }
  diag::Checked<Traversal> whole_traversal(bool allow_splat) {
    return expressions_.traversals().whole(allow_splat);
  }

 private:
  TokenCursor tokens_;
  TreeBuilder tree_;
  ExpressionParser expressions_;
  BodyParser bodies_;
};

}  // namespace tofu::syntax
