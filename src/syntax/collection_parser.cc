#include "syntax/collection_parser.h"

#include <algorithm>
#include <fmt/format.h>

#include "syntax/expression_parser.h"

namespace tofu::syntax {

Parsed CollectionParser::tuple() {
  const Token open = tokens_.read();
  const Newlines insignificant(tokens_, false);
  if (tokens_.is_keyword(tokens_.peek(), "for")) return for_expression(open);
  const std::size_t first_item = exprs_.size();
  int height = 0;
  std::optional<Token> close;
  while (!close && !tokens_.peek_is(TokenKind::CloseBracket)) {
    const std::size_t before = tokens_.mark();
    const Parsed item = expressions_.expression();
    exprs_.push_back(item.expr);
    height = std::max(height, item.height);
    const Token next = tokens_.peek();
    if (tokens_.lost_since(before)) {
      close = tokens_.recover(TokenKind::CloseBracket);
    } else if (next.kind == TokenKind::Comma) {
      tokens_.read();
    } else if (next.kind != TokenKind::CloseBracket) {
      if (!tokens_.recovering()) missing_comma(open, next);
      close = tokens_.recover(TokenKind::CloseBracket);
    }
  }
  if (!close) close = tokens_.read();
  const auto items = tree_.take_from(exprs_, first_item);
  return tree_.above(
      height, tree_.node<TupleExpr>(tokens_.covering(open, *close), items, tokens_.range(open)));
}

// Between two items of a tuple or object.
void CollectionParser::missing_comma(const Token& open, const Token& next) {
  const bool list = open.kind == TokenKind::OpenBracket;
  if (next.kind == TokenKind::EndOfFile) {
    tokens_.error(list ? "Unterminated tuple constructor expression"
                       : "Unterminated object constructor expression",
                  fmt::format("The input ends before the {} of this {}. Check for mismatched "
                              "brackets earlier in the file.",
                              list ? "closing bracket" : "closing brace", list ? "list" : "object"),
                  tokens_.range(open));
    return;
  }
  tokens_
      .error("Missing item separator",
             fmt::format("{}, but found {}.",
                         list ? "Expected a comma between list items"
                              : "Expected a comma or newline between object items",
                         describe(next.kind)),
             tokens_.range(next))
      .within(tokens_.covering(open, next));
}

Parsed CollectionParser::object() {
  const Token open = tokens_.read();
  {
    // Line breaks mean nothing before `for`, though they do between items.
    const Newlines insignificant(tokens_, false);
    if (tokens_.is_keyword(tokens_.peek(), "for")) return for_expression(open);
  }
  const Newlines significant(tokens_, true);
  const std::size_t first_item = items_.size();
  int height = 0;
  std::optional<Token> close;
  while (!close) {
    const Token next = tokens_.peek();
    if (next.kind == TokenKind::CloseBrace) {
      close = tokens_.read();
    } else if (next.kind == TokenKind::Newline) {
      tokens_.read();
    } else {
      const ItemRead item = object_item(open);
      height = std::max(height, item.height);
      if (!item.complete) close = tokens_.recover(TokenKind::CloseBrace);
    }
  }
  const auto items = tree_.take_from(items_, first_item);
  return tree_.above(
      height, tree_.node<ObjectExpr>(tokens_.covering(open, *close), items, tokens_.range(open)));
}

// One item and the separator after it.
CollectionParser::ItemRead CollectionParser::object_item(const Token& open) {
  const bool forced = tokens_.peek_is(TokenKind::OpenParen);
  const std::size_t before = tokens_.mark();
  const Parsed key = expressions_.expression();
  if (tokens_.lost_since(before)) return {};
  const Parsed wrapped =
      tree_.above(key.height, tree_.node<ObjectKeyExpr>(key.expr->range, key.expr, forced));
  const Token equals = tokens_.peek();
  if (equals.kind != TokenKind::Equal && equals.kind != TokenKind::Colon) {
    if (!tokens_.recovering()) missing_value(open, equals);
    return {};
  }
  tokens_.read();
  const Parsed item = expressions_.expression();
  if (tokens_.lost_since(before)) return {};
  items_.push_back({wrapped.expr, item.expr});
  const int height = std::max(wrapped.height, item.height);
  const Token next = tokens_.peek();
  if (next.kind == TokenKind::CloseBrace) return {height, true};
  if (next.kind != TokenKind::Comma && next.kind != TokenKind::Newline) {
    if (!tokens_.recovering()) missing_comma(open, next);
    return {height, false};
  }
  tokens_.read();
  return {height, true};
}

void CollectionParser::missing_value(const Token& open, const Token& next) {
  if (next.kind == TokenKind::EndOfFile) return missing_comma(open, next);
  std::string detail = fmt::format(
      "Expected an equals sign and a value after the object key, found {}.", describe(next.kind));
  if (next.kind == TokenKind::Identifier) {
    // How foo1.2_bar is parsed.
    detail += " Write a key that contains dots or spaces in quotes.";
  }
  tokens_.error("Missing attribute value", std::move(detail), tokens_.range(next))
      .within(tokens_.covering(open, next));
}

// Reports (unless that would be noise) and skips the rest of a `for`.
Parsed CollectionParser::broken_for(const Token& open, std::string_view detail) {
  const bool object = open.kind == TokenKind::OpenBrace;
  if (!tokens_.recovering() && !detail.empty()) {
    const Token next = tokens_.peek();
    tokens_
        .error("Invalid 'for' expression",
               fmt::format("{}, but found {}. Expected {}.", detail, describe(next.kind),
                           object ? "{ for key, value in collection : key => value }"
                                  : "[ for value in collection : value ]"),
               tokens_.range(next))
        .within(tokens_.covering(open, next));
  }
  const Token close = tokens_.recover(object ? TokenKind::CloseBrace : TokenKind::CloseBracket);
  return tree_.invalid(tokens_.covering(open, close));
}

// for k, v in collection :
base::Result<CollectionParser::ForHead, Parsed> CollectionParser::for_head(const Token& open) {
  const auto fail = [&](std::string_view detail) { return broken_for(open, detail); };
  ForHead head;
  if (!tokens_.peek_is(TokenKind::Identifier)) return fail("Expected a name after \"for\"");
  head.value = tokens_.text(tokens_.read());
  if (tokens_.peek_is(TokenKind::Comma)) {
    tokens_.read();
    head.key = head.value;
    if (!tokens_.peek_is(TokenKind::Identifier))
      return fail("Expected a second name after the comma");
    head.value = tokens_.text(tokens_.read());
  }
  if (!tokens_.is_keyword(tokens_.peek(), "in")) return fail("Expected \"in\" after the names");
  tokens_.read();
  const std::size_t before = tokens_.mark();
  head.collection = expressions_.expression();
  if (tokens_.lost_since(before)) return fail("");
  if (!tokens_.peek_is(TokenKind::Colon)) return fail("Expected a colon after the collection");
  tokens_.read();
  return head;
}

Parsed CollectionParser::for_expression(const Token& open) {
  const Newlines insignificant(tokens_, false);
  tokens_.read();
  const base::Result<ForHead, Parsed> read_head = for_head(open);
  if (!read_head) return read_head.error();
  const ForHead& head = *read_head;

  const Binder binder(names_);
  const std::uint32_t key_slot = names_.next_slot();
  names_.bind(head.key);
  names_.bind(head.value);
  const std::size_t before = tokens_.mark();
  std::optional<Parsed> key;
  Parsed value = expressions_.expression();
  if (tokens_.peek_is(TokenKind::FatArrow)) {
    tokens_.read();
    key = value;
    value = expressions_.expression();
  }
  if (tokens_.lost_since(before)) return broken_for(open, "");
  std::optional<Token> ellipsis;
  if (tokens_.peek_is(TokenKind::Ellipsis)) ellipsis = tokens_.read();
  std::optional<Parsed> condition;
  if (tokens_.is_keyword(tokens_.peek(), "if")) {
    tokens_.read();
    condition = expressions_.expression();
    if (tokens_.lost_since(before)) return broken_for(open, "");
  }

  const Token close = close_for(open);
  const auto* made =
      tree_.node<ForExpr>(tokens_.covering(open, close), head.key, head.value, key_slot,
                          key_slot + 1, head.collection.expr, key ? key->expr : nullptr, value.expr,
                          condition ? condition->expr : nullptr, ellipsis.has_value(),
                          tokens_.range(open), tokens_.range(close));
  check_for_shape(open, *made, ellipsis);
  return tree_.above(std::max({head.collection.height, key ? key->height : 0, value.height,
                               condition ? condition->height : 0}),
                     made);
}

Token CollectionParser::close_for(const Token& open) {
  const bool object = open.kind == TokenKind::OpenBrace;
  const TokenKind end = object ? TokenKind::CloseBrace : TokenKind::CloseBracket;
  if (tokens_.peek_is(end)) return tokens_.read();
  if (!tokens_.recovering()) {
    const Token next = tokens_.peek();
    tokens_
        .error("Invalid 'for' expression",
               fmt::format("{} is required at the end of the \"for\" expression, but found {}.",
                           object ? "A closing brace" : "A closing bracket", describe(next.kind)),
               tokens_.range(next))
        .within(tokens_.covering(open, next));
  }
  return tokens_.recover(end);
}

// Only an object has keys, and has to have them.
void CollectionParser::check_for_shape(const Token& open, const ForExpr& expr,
                                       std::optional<Token> ellipsis) {
  const bool object = open.kind == TokenKind::OpenBrace;
  if (object && !expr.key) {
    tokens_
        .error("Invalid 'for' expression",
               "In braces, a \"for\" expression builds an object and requires a key: write \"key "
               "=> value\".",
               expr.value->range)
        .within(expr.range);
  }
  if (!object && expr.key) {
    tokens_
        .error("Invalid 'for' expression",
               "In brackets, a \"for\" expression builds a list, which has no keys. Use braces to "
               "build an object.",
               expr.key->range)
        .within(expr.range);
  }
  if (!object && ellipsis) {
    tokens_
        .error("Invalid 'for' expression",
               "The grouping symbol \"...\" is allowed only when building an object. Use braces "
               "instead of brackets.",
               tokens_.range(*ellipsis))
        .within(expr.range);
  }
}

}  // namespace tofu::syntax
