// Expressions: operators, operands and calls.
//
// Owns the parts that read what stands inside of expressions, and the names that are
// bound there; these call back for the expressions inside of themselves.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diag/checked.h"
#include "syntax/bound_names.h"
#include "syntax/collection_parser.h"
#include "syntax/template_parser.h"
#include "syntax/traversal_parser.h"
#include "syntax/tree_builder.h"

namespace tofu::syntax {

class ExpressionParser {
 public:
  ExpressionParser(TokenCursor& tokens, TreeBuilder& tree)
      : tokens_(tokens),
        tree_(tree),
        collections_(tokens, tree, names_, *this),
        traversals_(tokens, tree, names_, *this),
        templates_(tokens, tree, names_, *this) {}
  ExpressionParser(const ExpressionParser&) = delete;
  ExpressionParser& operator=(const ExpressionParser&) = delete;

  Parsed expression();
  const Expr* whole();  // the whole text as an expression
  diag::Checked<const value::Value*> number_value(const Token& token);

  TraversalParser& traversals() { return traversals_; }
  TemplateParser& templates() { return templates_; }

 private:
  // A number that was read before, with its text packed into one word.
  struct KnownNumber {
    std::uint64_t text = 0;
    const value::Value* value = nullptr;
  };
  // The name of a call, with the parenthesis after it.
  struct CallHead {
    std::string_view name;
    diag::SourceRange name_range;
    Token open;
  };
  // The arguments of a call; the arguments are left in exprs_.
  struct CallArguments {
    int height = 0;  // of the highest
    bool expand = false;
    Token close;
  };

  Parsed conditional(diag::SourceRange start, Parsed condition, std::size_t before);
  Parsed binary(int lowest_level);
  Parsed binary_from(Parsed left, int lowest_level, std::size_t before);
  Parsed operand();
  Parsed unexpected(const Token& token);
  Parsed parens();
  Parsed unary(UnaryOp op);
  Parsed number();
  Parsed name();
  Parsed call(const Token& first);
  base::Result<CallHead, diag::SourceRange> call_head(const Token& first);
  CallArguments call_arguments(const Token& first, const Token& open);
  void wrong_separator(const Token& first, const Token& open, const Token& separator);

  TokenCursor& tokens_;
  TreeBuilder& tree_;
  BoundNames names_;
  CollectionParser collections_;
  TraversalParser traversals_;
  TemplateParser templates_;
  std::vector<const Expr*> exprs_;  // arguments of all calls being read, innermost last

  // Files say the same few numbers again and again, and reading one to 512 bits is
  // slow. A later number takes the place of an earlier one with the same hash.
  static constexpr int kKnownNumberBits = 5;
  std::array<KnownNumber, 1 << kKnownNumberBits> known_numbers_{};
};

}  // namespace tofu::syntax
