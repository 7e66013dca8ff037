// Tuples, objects and `for` expressions: what stands in brackets and braces.
//
// After an error inside, reading goes on behind the closing bracket; the items that
// were read before it stay in the tree.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "syntax/bound_names.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class ExpressionParser;

class CollectionParser {
 public:
  CollectionParser(TokenCursor& tokens, TreeBuilder& tree, BoundNames& names,
                   ExpressionParser& expressions)
      : tokens_(tokens), tree_(tree), names_(names), expressions_(expressions) {}

  Parsed tuple();
  Parsed object();

 private:
  // An item of an object, which is in items_ as far as it could be read.
  struct ItemRead {
    int height = 0;
    bool complete = false;  // with the separator after it
  };
  // for key, value in collection :
  struct ForHead {
    std::string_view key;  // empty if only the value is named
    std::string_view value;
    Parsed collection;
  };

  ItemRead object_item(const Token& open);
  void missing_comma(const Token& open, const Token& next);
  void missing_value(const Token& open, const Token& next);
  Parsed for_expression(const Token& open);
  base::Result<ForHead, Parsed> for_head(const Token& open);
  Token close_for(const Token& open);
  Parsed broken_for(const Token& open, std::string_view detail);
  void check_for_shape(const Token& open, const ForExpr& expr, std::optional<Token> ellipsis);

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  BoundNames& names_;
  ExpressionParser& expressions_;
  // Of all collections being read, innermost last.
  std::vector<const Expr*> exprs_;
  std::vector<ObjectItem> items_;
};

}  // namespace tofu::syntax
