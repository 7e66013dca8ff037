#include "syntax/expression_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>

#include "value/number.h"

namespace tofu::syntax {
namespace {

struct Operator {
  TokenKind token;
  BinaryOp op;
  int level;  // binds more tightly the higher it is
};

constexpr std::array kOperators = {
    Operator{TokenKind::Or, BinaryOp::Or, 1},
    Operator{TokenKind::And, BinaryOp::And, 2},
    Operator{TokenKind::EqualEqual, BinaryOp::Equal, 3},
    Operator{TokenKind::NotEqual, BinaryOp::NotEqual, 3},
    Operator{TokenKind::Greater, BinaryOp::Greater, 4},
    Operator{TokenKind::GreaterEqual, BinaryOp::GreaterEqual, 4},
    Operator{TokenKind::Less, BinaryOp::Less, 4},
    Operator{TokenKind::LessEqual, BinaryOp::LessEqual, 4},
    Operator{TokenKind::Plus, BinaryOp::Add, 5},
    Operator{TokenKind::Minus, BinaryOp::Subtract, 5},
    Operator{TokenKind::Star, BinaryOp::Multiply, 6},
    Operator{TokenKind::Slash, BinaryOp::Divide, 6},
    Operator{TokenKind::Percent, BinaryOp::Modulo, 6},
};

constexpr int kConditionalLevel = 0;  // of a question mark: the loosest of all
constexpr int kNoOperator = -1;

// How tightly what may follow an operand binds it; kNoOperator if it does not.
constexpr auto kLevelOf = [] {
  std::array<std::int8_t, 256> table{};
  table.fill(kNoOperator);
  for (const Operator& entry : kOperators) {
    table[static_cast<std::size_t>(entry.token)] = static_cast<std::int8_t>(entry.level);
  }
  table[static_cast<std::size_t>(TokenKind::Question)] = kConditionalLevel;
  return table;
}();

int level_of(TokenKind kind) { return kLevelOf[static_cast<std::size_t>(kind)]; }

BinaryOp op_of(TokenKind kind) { return std::ranges::find(kOperators, kind, &Operator::token)->op; }

// From the start of `first` to the end of `last`, which may lie before it where a
// closing token is missing.
diag::SourceRange between(diag::SourceRange first, diag::SourceRange last) {
  return {first.file, first.begin, std::max(first.end, last.end)};
}

}  // namespace

const Expr* ExpressionParser::whole() {
  const Newlines insignificant(tokens_, false);
  const Parsed made = expression();
  const Token next = tokens_.peek();
  if (next.kind != TokenKind::EndOfFile && !tokens_.recovering()) {
    tokens_.error("Extra characters after expression",
                  fmt::format("Expected the end of the expression, found {}.", describe(next.kind)),
                  tokens_.range(next));
  }
  return made.expr;
}

Parsed ExpressionParser::expression() {
  const Level level(tree_);
  const Token start = tokens_.peek();
  if (level.too_deep()) return tree_.too_deep(tokens_.range(start));
  const std::size_t before = tokens_.mark();
  const Parsed first = operand();
  // Most expressions are one operand.
  if (level_of(tokens_.peek().kind) == kNoOperator || tokens_.lost_since(before)) return first;
  const Parsed whole = binary_from(first, 1, before);
  if (tokens_.lost_since(before) || !tokens_.peek_is(TokenKind::Question)) return whole;
  return conditional(tokens_.range(start), whole, before);
}

// From the question mark on. `start` is the place of the condition's first token,
// and `before` is from before it.
Parsed ExpressionParser::conditional(diag::SourceRange start, Parsed condition,
                                     std::size_t before) {
  tokens_.read();
  const Parsed if_true = expression();
  if (tokens_.lost_since(before)) return condition;
  if (const Token colon = tokens_.peek(); colon.kind != TokenKind::Colon) {
    tokens_
        .error("Missing false expression in conditional",
               fmt::format("Expected a colon and the false result, as in \"condition ? true_value "
                           ": false_value\", found {}.",
                           describe(colon.kind)),
               tokens_.range(colon))
        .within(between(start, tokens_.range(colon)));
    return condition;
  }
  tokens_.read();
  const Parsed if_false = expression();
  if (tokens_.lost_since(before)) return condition;
  return tree_.above(std::max({condition.height, if_true.height, if_false.height}),
                     tree_.node<ConditionalExpr>(between(start, if_false.expr->range),
                                                 condition.expr, if_true.expr, if_false.expr));
}

Parsed ExpressionParser::binary(int lowest_level) {
  const std::size_t before = tokens_.mark();
  const Parsed first = operand();
  if (tokens_.lost_since(before)) return first;
  return binary_from(first, lowest_level, before);
}

// Goes on after the first operand, `left`, which began at `before`.
Parsed ExpressionParser::binary_from(Parsed left, int lowest_level, std::size_t before) {
  while (true) {
    const Token token = tokens_.peek();
    const int level = level_of(token.kind);
    if (level < lowest_level) return left;
    tokens_.read();
    const Parsed right = binary(level + 1);
    if (tokens_.lost_since(before)) return left;
    // A left operand that is binary itself adds no height: walks go down the
    // chain of left operands with a loop.
    const int left_height = left.expr->kind == ExprKind::Binary ? left.height - 1 : left.height;
    left = tree_.above(
        std::max(left_height, right.height),
        tree_.node<BinaryExpr>(between(left.expr->range, right.expr->range), op_of(token.kind),
                               left.expr, right.expr, tokens_.range(token)));
  }
}

Parsed ExpressionParser::operand() {
  const Token start = tokens_.peek();
  switch (start.kind) {
    case TokenKind::Identifier: return name();
    case TokenKind::OpenQuote:
    case TokenKind::OpenHeredoc: return traversals_.after(templates_.string());
    case TokenKind::Number: return traversals_.after(number());
    case TokenKind::OpenBracket: return traversals_.after(collections_.tuple());
    case TokenKind::OpenBrace: return traversals_.after(collections_.object());
    case TokenKind::OpenParen: return traversals_.after(parens());
    case TokenKind::Minus: return traversals_.after(unary(UnaryOp::Negate));
    case TokenKind::Bang: return traversals_.after(unary(UnaryOp::Not));
    // clang-format off
    case TokenKind::EndOfFile: case TokenKind::Newline: case TokenKind::Comment:
    case TokenKind::CloseQuote: case TokenKind::QuotedText: case TokenKind::CloseHeredoc:
    case TokenKind::HeredocText: case TokenKind::TemplateInterp: case TokenKind::TemplateControl:
    case TokenKind::TemplateSeqEnd: case TokenKind::CloseBrace: case TokenKind::CloseBracket:
    case TokenKind::CloseParen: case TokenKind::Star: case TokenKind::Slash: case TokenKind::Plus:
    case TokenKind::Percent: case TokenKind::Equal: case TokenKind::EqualEqual:
    case TokenKind::NotEqual: case TokenKind::Less: case TokenKind::LessEqual:
    case TokenKind::Greater: case TokenKind::GreaterEqual: case TokenKind::And: case TokenKind::Or:
    case TokenKind::Question: case TokenKind::Colon: case TokenKind::DoubleColon:
    case TokenKind::Comma: case TokenKind::Dot: case TokenKind::Ellipsis: case TokenKind::FatArrow:
    case TokenKind::SingleAmpersand: case TokenKind::SinglePipe: case TokenKind::BitwiseNot:
    case TokenKind::BitwiseXor: case TokenKind::Apostrophe: case TokenKind::Backtick:
    case TokenKind::Semicolon: case TokenKind::QuotedNewline: case TokenKind::Invalid:
    case TokenKind::BadUtf8:
      // clang-format on
      break;
  }
  return traversals_.after(unexpected(start));
}

Parsed ExpressionParser::unexpected(const Token& token) {
  if (!tokens_.recovering()) {
    if (token.kind == TokenKind::EndOfFile) {
      tokens_.error("Missing expression",
                    "Expected an expression, but reached the end of the input.",
                    tokens_.range(token));
    } else {
      tokens_.error(
          "Invalid expression",
          fmt::format("Expected the start of an expression, found {}.", describe(token.kind)),
          tokens_.range(token));
    }
  }
  tokens_.set_recovering();
  return tree_.invalid(tokens_.range(token));
}

Parsed ExpressionParser::parens() {
  const Token open = tokens_.read();
  const Newlines insignificant(tokens_, false);
  const std::size_t before = tokens_.mark();
  const Parsed inner = expression();
  if (tokens_.failed_since(before)) {
    tokens_.recover(TokenKind::CloseParen);
    return inner;
  }
  if (const Token close = tokens_.peek(); close.kind != TokenKind::CloseParen) {
    tokens_
        .error("Unbalanced parentheses",
               fmt::format("Expected a closing parenthesis, found {}.", describe(close.kind)),
               tokens_.range(close))
        .within(between(tokens_.range(open), tokens_.range(close)));
    tokens_.set_recovering();
  }
  const Token close = tokens_.read();
  return tree_.above(
      inner.height,
      tree_.node<ParensExpr>(between(tokens_.range(open), tokens_.range(close)), inner.expr));
}

// Takes one operand only: in -1 + 2 the sign belongs to the 1.
Parsed ExpressionParser::unary(UnaryOp op) {
  const Level level(tree_);
  const Token symbol = tokens_.read();
  if (level.too_deep()) return tree_.too_deep(tokens_.range(symbol));
  const Parsed inner = operand();
  return tree_.above(inner.height,
                     tree_.node<UnaryExpr>(between(tokens_.range(symbol), inner.expr->range), op,
                                           inner.expr, tokens_.range(symbol)));
}

diag::Checked<const value::Value*> ExpressionParser::number_value(const Token& token) {
  const std::string_view digits = tokens_.text(token);
  std::uint64_t packed = 0;  // stays 0, which is not the text of a number, if it does not fit
  if (digits.size() <= sizeof(packed)) digits.copy(reinterpret_cast<char*>(&packed), digits.size());
  KnownNumber& known = known_numbers_[(packed * 0x9E3779B97F4A7C15) >> (64 - kKnownNumberBits)];
  if (packed != 0 && known.text == packed) return known.value;
  if (const auto parsed = value::Number::parse(digits)) {
    const value::Value* kept = tree_.constants().keep(value::Value::number(*parsed));
    if (packed != 0) known = {packed, kept};
    return kept;
  }
  // Versions are often written without the quotes they need.
  const bool like_version = std::ranges::count(digits, '.') > 1;
  tokens_.error("Invalid number literal",
                fmt::format("\"{}\" is not a valid number.{}", digits,
                            like_version ? " Write a version in quotes." : ""),
                tokens_.range(token));
  return nullptr;
}

Parsed ExpressionParser::number() {
  const Token token = tokens_.read();
  const value::Value* constant = number_value(token);
  if (!constant) return tree_.invalid(tokens_.range(token));
  return {tree_.node<LiteralExpr>(tokens_.range(token), constant), 1};
}

// Everything that starts with a name, and what follows it.
Parsed ExpressionParser::name() {
  const Token token = tokens_.read();
  const TokenKind next = tokens_.peek().kind;
  if (next == TokenKind::OpenParen || next == TokenKind::DoubleColon)
    return traversals_.after(call(token));
  const std::string_view word = tokens_.text(token);
  const diag::SourceRange at = tokens_.range(token);
  if (word == "true" || word == "false") {
    return traversals_.after(
        {tree_.node<LiteralExpr>(at, tree_.constants().boolean(word == "true")), 1});
  }
  if (word == "null")
    return traversals_.after({tree_.node<LiteralExpr>(at, tree_.constants().null()), 1});
  return traversals_.after_name(word, at);
}

// Reads the rest of a::b::c and the opening parenthesis after it. The error is where the
// broken call stands.
base::Result<ExpressionParser::CallHead, diag::SourceRange> ExpressionParser::call_head(
    const Token& first) {
  Token last = first;
  std::string joined;
  Token open = tokens_.read();
  for (; open.kind == TokenKind::DoubleColon; open = tokens_.read()) {
    const Token next = tokens_.read();
    if (next.kind != TokenKind::Identifier) {
      const diag::SourceRange broken = tokens_.covering(first, next);
      tokens_
          .error(
              "Missing function name",
              fmt::format("Expected a function name after \"::\", found {}.", describe(next.kind)),
              tokens_.range(next))
          .within(broken);
      tokens_.recover_over(TokenKind::OpenParen);
      return broken;
    }
    if (joined.empty()) joined = tokens_.text(first);
    joined.append("::").append(tokens_.text(next));
    last = next;
  }
  if (open.kind != TokenKind::OpenParen) {
    const diag::SourceRange broken = tokens_.covering(first, open);
    tokens_
        .error("Missing open parenthesis",
               fmt::format("A function call requires parentheses, even without arguments: write "
                           "{}(). Found {} instead.",
                           joined, describe(open.kind)),
               tokens_.range(open))
        .within(broken);
    tokens_.recover_over(TokenKind::OpenParen);
    return broken;
  }
  const std::string_view name =
      joined.empty() ? tokens_.text(first) : tree_.arena().copy(std::string_view(joined));
  return CallHead{name, tokens_.covering(first, last), open};
}

Parsed ExpressionParser::call(const Token& first) {
  const auto head = call_head(first);
  if (!head) return tree_.invalid(head.error());
  const std::size_t first_argument = exprs_.size();
  const CallArguments inside = call_arguments(first, head->open);
  const auto arguments = tree_.take_from(exprs_, first_argument);
  return tree_.above(inside.height,
                     tree_.node<CallExpr>(between(head->name_range, tokens_.range(inside.close)),
                                          head->name, head->name_range, arguments, inside.expand,
                                          tokens_.range(head->open), tokens_.range(inside.close)));
}

ExpressionParser::CallArguments ExpressionParser::call_arguments(const Token& first,
                                                                 const Token& open) {
  const Newlines insignificant(tokens_, false);
  CallArguments found{.close = open};
  const auto recover = [&] {
    found.close = tokens_.recover(TokenKind::CloseParen);
    return found;
  };
  while (!tokens_.peek_is(TokenKind::CloseParen)) {
    const std::size_t before = tokens_.mark();
    const Parsed argument = expression();
    exprs_.push_back(argument.expr);
    found.height = std::max(found.height, argument.height);
    if (tokens_.lost_since(before)) return recover();
    const Token separator = tokens_.read();
    if (separator.kind == TokenKind::CloseParen) {
      found.close = separator;
      return found;
    }
    if (separator.kind == TokenKind::Ellipsis) {
      found.expand = true;
      if (tokens_.peek_is(TokenKind::CloseParen)) break;
    }
    if (separator.kind != TokenKind::Comma) {
      wrong_separator(first, open, separator);
      return recover();
    }
  }
  found.close = tokens_.read();
  return found;
}

// After an argument: neither a comma nor the end of the call.
void ExpressionParser::wrong_separator(const Token& first, const Token& open,
                                       const Token& separator) {
  const diag::SourceRange so_far = tokens_.covering(first, separator);
  if (separator.kind == TokenKind::Ellipsis) {
    if (tokens_.recovering()) return;
    tokens_
        .error(
            "Missing closing parenthesis",
            "Only the last argument can be expanded with \"...\". Expected a closing parenthesis.",
            tokens_.range(separator))
        .within(so_far);
  } else if (separator.kind == TokenKind::EndOfFile) {
    tokens_.error("Unterminated function call",
                  "The input ends before the closing parenthesis of this function call. Check for "
                  "mismatched parentheses earlier in the file.",
                  tokens_.covering(first, open));
  } else {
    tokens_
        .error("Missing argument separator",
               fmt::format("Expected a comma between function arguments, found {}.",
                           describe(separator.kind)),
               tokens_.range(separator))
        .within(so_far);
  }
}

}  // namespace tofu::syntax
