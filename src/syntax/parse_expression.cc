#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "syntax/native_parser.h"
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

const Expr* NativeParser::whole_expression() {
  const Newlines insignificant(*this, false);
  const Parsed made = expression();
  const Token next = peek();
  if (next.kind != TokenKind::EndOfFile && !recovery_) {
    error(
        "Text after the expression",
        fmt::format("The expression is complete before this, but {} follows.", describe(next.kind)),
        range(next));
  }
  return made.expr;
}

NativeParser::Parsed NativeParser::expression() {
  const Level level(*this);
  const Token start = peek();
  if (level.too_deep()) return too_deep(range(start));
  const std::size_t before = mark();
  const Parsed first = operand();
  // Most expressions are one operand.
  if (level_of(peek().kind) == kNoOperator || lost_since(before)) return first;
  const Parsed whole = binary_from(first, 1, before);
  if (lost_since(before) || !peek_is(TokenKind::Question)) return whole;
  return conditional(range(start), whole, before);
}

// From the question mark on. `start` is the place of the condition's first token,
// and `before` is from before it.
NativeParser::Parsed NativeParser::conditional(diag::SourceRange start, Parsed condition,
                                               std::size_t before) {
  read();
  const Parsed if_true = expression();
  if (lost_since(before)) return condition;
  if (const Token colon = peek(); colon.kind != TokenKind::Colon) {
    error("Conditional without an alternative",
          fmt::format("A conditional is written \"condition ? value : other value\". Here a colon "
                      "and the other value are missing; there is {} instead.",
                      describe(colon.kind)),
          range(colon))
        .within(between(start, range(colon)));
    return condition;
  }
  read();
  const Parsed if_false = expression();
  if (lost_since(before)) return condition;
  return above(std::max({condition.height, if_true.height, if_false.height}),
               node<ConditionalExpr>(between(start, if_false.expr->range), condition.expr,
                                     if_true.expr, if_false.expr));
}

NativeParser::Parsed NativeParser::binary(int lowest_level) {
  const std::size_t before = mark();
  const Parsed first = operand();
  if (lost_since(before)) return first;
  return binary_from(first, lowest_level, before);
}

// Goes on after the first operand, `left`, which began at `before`.
NativeParser::Parsed NativeParser::binary_from(Parsed left, int lowest_level, std::size_t before) {
  while (true) {
    const Token token = peek();
    const int level = level_of(token.kind);
    if (level < lowest_level) return left;
    read();
    const Parsed right = binary(level + 1);
    if (lost_since(before)) return left;
    // A left operand that is binary itself adds no height: walks go down the
    // chain of left operands with a loop.
    const int left_height = left.expr->kind == ExprKind::Binary ? left.height - 1 : left.height;
    left = above(std::max(left_height, right.height),
                 node<BinaryExpr>(between(left.expr->range, right.expr->range), op_of(token.kind),
                                  left.expr, right.expr, range(token)));
  }
}

NativeParser::Parsed NativeParser::operand() {
  const Token start = peek();
  switch (start.kind) {
    case TokenKind::Identifier: return name();
    case TokenKind::OpenQuote:
    case TokenKind::OpenHeredoc: return after(string_template());
    case TokenKind::Number: return after(number());
    case TokenKind::OpenBracket: return after(tuple());
    case TokenKind::OpenBrace: return after(object());
    case TokenKind::OpenParen: return after(parens());
    case TokenKind::Minus: return after(unary(UnaryOp::Negate));
    case TokenKind::Bang: return after(unary(UnaryOp::Not));
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
  return after(unexpected(start));
}

NativeParser::Parsed NativeParser::unexpected(const Token& token) {
  if (!recovery_) {
    if (token.kind == TokenKind::EndOfFile) {
      error("Expression missing", "The text ends where an expression has to be.", range(token));
    } else {
      error("Expression expected",
            fmt::format("An expression has to be here, but no expression begins with {}.",
                        describe(token.kind)),
            range(token));
    }
  }
  recovery_ = true;
  return invalid(range(token));
}

NativeParser::Parsed NativeParser::parens() {
  const Token open = read();
  const Newlines insignificant(*this, false);
  const std::size_t before = mark();
  const Parsed inner = expression();
  if (failed_since(before)) {
    recover(TokenKind::CloseParen);
    return inner;
  }
  if (const Token close = peek(); close.kind != TokenKind::CloseParen) {
    error("Parenthesis not closed",
          fmt::format("A closing parenthesis has to end this expression, but there is {}.",
                      describe(close.kind)),
          range(close))
        .within(between(range(open), range(close)));
    recovery_ = true;
  }
  const Token close = read();
  return above(inner.height, node<ParensExpr>(between(range(open), range(close)), inner.expr));
}

// Takes one operand only: in -1 + 2 the sign belongs to the 1.
NativeParser::Parsed NativeParser::unary(UnaryOp op) {
  const Level level(*this);
  const Token symbol = read();
  if (level.too_deep()) return too_deep(range(symbol));
  const Parsed inner = operand();
  return above(inner.height, node<UnaryExpr>(between(range(symbol), inner.expr->range), op,
                                             inner.expr, range(symbol)));
}

// Null if and only if an error was added.
const value::Value* NativeParser::number_value(const Token& token) {
  const std::string_view digits = text(token);
  std::uint64_t packed = 0;  // stays 0, which is no number's text, if it does not fit
  if (digits.size() <= sizeof(packed)) digits.copy(reinterpret_cast<char*>(&packed), digits.size());
  KnownNumber& known = known_numbers_[(packed * 0x9E3779B97F4A7C15) >> (64 - kKnownNumberBits)];
  if (packed != 0 && known.text == packed) return known.value;
  if (const auto parsed = value::Number::parse(digits)) {
    const value::Value* kept = keep(value::Value::number(*parsed));
    if (packed != 0) known = {packed, kept};
    return kept;
  }
  // Versions are often written without the quotes they need.
  const bool like_version = std::ranges::count(digits, '.') > 1;
  error("Not a number",
        fmt::format("\"{}\" cannot be read as a number.{}", digits,
                    like_version ? " A version is written in quotes, as strings are." : ""),
        range(token));
  return nullptr;
}

NativeParser::Parsed NativeParser::number() {
  const Token token = read();
  const value::Value* constant = number_value(token);
  if (!constant) return invalid(range(token));
  return {node<LiteralExpr>(range(token), constant), 1};
}

// Everything that starts with a name, and what follows it.
NativeParser::Parsed NativeParser::name() {
  const Token token = read();
  const TokenKind next = peek().kind;
  if (next == TokenKind::OpenParen || next == TokenKind::DoubleColon) return after(call(token));
  const std::string_view word = text(token);
  const diag::SourceRange at = range(token);
  if (word == "true" || word == "false") {
    return after({node<LiteralExpr>(at, file_.constants.boolean(word == "true")), 1});
  }
  if (word == "null") return after({node<LiteralExpr>(at, file_.constants.null()), 1});
  std::optional<std::uint32_t> slot;
  if (!bound_.empty()) slot = slot_of(word);
  // Most traversals are names and dots only, and need no chain to be collected.
  const std::span<const TraversalStep> steps = dotted_names();
  const diag::SourceRange whole{at.file, at.begin, steps.empty() ? at.end : steps.back().range.end};
  const TokenKind following = peek().kind;
  if (following != TokenKind::Dot && following != TokenKind::OpenBracket) {
    return {root_expr({word, at, steps, whole}, slot), 1};
  }
  Chain chain;
  chain.root = word;
  chain.root_range = at;
  chain.range = whole;
  chain.slot = slot;
  chain.first_step = steps_.size();
  steps_.insert(steps_.end(), steps.begin(), steps.end());
  return postfix(chain);
}

// Reads the rest of a::b::c and the opening parenthesis after it.
bool NativeParser::call_name(const Token& first, std::string_view& name,
                             diag::SourceRange& name_range, Token& open, Parsed& failure) {
  Token last = first;
  std::string joined;
  for (open = read(); open.kind == TokenKind::DoubleColon; open = read()) {
    const Token next = read();
    if (next.kind != TokenKind::Identifier) {
      error("Function name missing",
            fmt::format("The name of a function has to follow \"::\", but there is {}.",
                        describe(next.kind)),
            range(next))
          .within(between(range(first), range(next)));
      recover_over(TokenKind::OpenParen);
      failure = invalid(between(range(first), range(next)));
      return false;
    }
    if (joined.empty()) joined = text(first);
    joined.append("::").append(text(next));
    last = next;
  }
  if (open.kind != TokenKind::OpenParen) {
    error("Call without parentheses",
          fmt::format("A name with \"::\" is followed by parentheses, also where there is nothing "
                      "to put into them: write {}(). Instead there is {}.",
                      joined, describe(open.kind)),
          range(open))
        .within(between(range(first), range(open)));
    recover_over(TokenKind::OpenParen);
    failure = invalid(between(range(first), range(open)));
    return false;
  }
  name_range = between(range(first), range(last));
  name = joined.empty() ? text(first) : file_.arena.copy(std::string_view(joined));
  return true;
}

NativeParser::Parsed NativeParser::call(const Token& first) {
  std::string_view name;
  diag::SourceRange name_range;
  Token open;
  Parsed failure;
  if (!call_name(first, name, name_range, open, failure)) return failure;
  const std::size_t first_argument = exprs_.size();
  bool expand = false;
  Token close = open;
  const int height = call_arguments(first, open, expand, close);
  const auto arguments = file_.arena.copy(std::span(std::as_const(exprs_)).subspan(first_argument));
  exprs_.resize(first_argument);
  return above(height, node<CallExpr>(between(name_range, range(close)), name, name_range,
                                      arguments, expand, range(open), range(close)));
}

// Leaves the arguments in exprs_ and returns the height of the highest.
int NativeParser::call_arguments(const Token& first, const Token& open, bool& expand,
                                 Token& close) {
  const Newlines insignificant(*this, false);
  int height = 0;
  while (!peek_is(TokenKind::CloseParen)) {
    const std::size_t before = mark();
    const Parsed argument = expression();
    exprs_.push_back(argument.expr);
    height = std::max(height, argument.height);
    if (lost_since(before)) {
      close = recover(TokenKind::CloseParen);
      return height;
    }
    const Token separator = read();
    if (separator.kind == TokenKind::CloseParen) {
      close = separator;
      return height;
    }
    if (separator.kind == TokenKind::Ellipsis) {
      expand = true;
      if (peek_is(TokenKind::CloseParen)) break;
      if (!recovery_) {
        error("Call not closed after \"...\"",
              "Only the last argument can be expanded with \"...\": a closing parenthesis has to "
              "follow.",
              range(separator))
            .within(between(range(first), range(separator)));
      }
      close = recover(TokenKind::CloseParen);
      return height;
    }
    if (separator.kind != TokenKind::Comma) {
      if (separator.kind == TokenKind::EndOfFile) {
        error("Call not closed",
              "The text ends before the closing parenthesis of this call. Perhaps parentheses "
              "before or in it do not match.",
              between(range(first), range(open)));
      } else {
        error("Comma missing between arguments",
              fmt::format("The arguments of a call are separated by commas, but there is {}.",
                          describe(separator.kind)),
              range(separator))
            .within(between(range(first), range(separator)));
      }
      close = recover(TokenKind::CloseParen);
      return height;
    }
  }
  close = read();
  return height;
}

}  // namespace tofu::syntax
