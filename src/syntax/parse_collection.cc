#include <fmt/format.h>

#include "syntax/native_parser.h"

namespace tofu::syntax {

NativeParser::Parsed NativeParser::tuple() {
  const Token open = read();
  const Newlines insignificant(*this, false);
  if (is_keyword(peek(), "for")) return for_expression(open);
  const std::size_t first_item = exprs_.size();
  int height = 0;
  std::optional<Token> close;
  while (!close && !peek_is(TokenKind::CloseBracket)) {
    const std::size_t before = mark();
    const Parsed item = expression();
    exprs_.push_back(item.expr);
    height = std::max(height, item.height);
    const Token next = peek();
    if (lost_since(before)) {
      close = recover(TokenKind::CloseBracket);
    } else if (next.kind == TokenKind::Comma) {
      read();
    } else if (next.kind != TokenKind::CloseBracket) {
      if (!recovery_) missing_comma(open, next);
      close = recover(TokenKind::CloseBracket);
    }
  }
  if (!close) close = read();
  const auto items = file_.arena.copy(std::span(std::as_const(exprs_)).subspan(first_item));
  exprs_.resize(first_item);
  return above(height, node<TupleExpr>(covering(open, *close), items, range(open)));
}

// Between two items of a tuple or object.
void NativeParser::missing_comma(const Token& open, const Token& next) {
  const bool list = open.kind == TokenKind::OpenBracket;
  if (next.kind == TokenKind::EndOfFile) {
    error(list ? "List not closed" : "Object not closed",
          fmt::format("The text ends before the {} of this {}. Perhaps brackets before or in it "
                      "do not match.",
                      list ? "closing bracket" : "closing brace", list ? "list" : "object"),
          range(open));
    return;
  }
  error("Separator missing between items",
        fmt::format("{}, but there is {}.",
                    list ? "The items of a list are separated by commas"
                         : "The items of an object are separated by commas or line breaks",
                    describe(next.kind)),
        range(next))
      .within(covering(open, next));
}

NativeParser::Parsed NativeParser::object() {
  const Token open = read();
  {
    // Line breaks mean nothing before `for`, though they do between items.
    const Newlines insignificant(*this, false);
    if (is_keyword(peek(), "for")) return for_expression(open);
  }
  const Newlines significant(*this, true);
  const std::size_t first_item = items_.size();
  int height = 0;
  std::optional<Token> close;
  while (!close) {
    const Token next = peek();
    if (next.kind == TokenKind::CloseBrace) {
      close = read();
    } else if (next.kind == TokenKind::Newline) {
      read();
    } else if (!object_item(open, height)) {
      close = recover(TokenKind::CloseBrace);
    }
  }
  const auto items = file_.arena.copy(std::span(std::as_const(items_)).subspan(first_item));
  items_.resize(first_item);
  return above(height, node<ObjectExpr>(covering(open, *close), items, range(open)));
}

// One item and the separator after it. False if it could not be read.
bool NativeParser::object_item(const Token& open, int& height) {
  const bool forced = peek_is(TokenKind::OpenParen);
  const std::size_t before = mark();
  const Parsed key = expression();
  if (lost_since(before)) return false;
  const Parsed wrapped = above(key.height, node<ObjectKeyExpr>(key.expr->range, key.expr, forced));
  const Token equals = peek();
  if (equals.kind != TokenKind::Equal && equals.kind != TokenKind::Colon) {
    if (!recovery_) missing_value(open, equals);
    return false;
  }
  read();
  const Parsed item = expression();
  if (lost_since(before)) return false;
  items_.push_back({wrapped.expr, item.expr});
  height = std::max({height, wrapped.height, item.height});
  const Token next = peek();
  if (next.kind == TokenKind::CloseBrace) return true;
  if (next.kind != TokenKind::Comma && next.kind != TokenKind::Newline) {
    if (!recovery_) missing_comma(open, next);
    return false;
  }
  read();
  return true;
}

void NativeParser::missing_value(const Token& open, const Token& next) {
  if (next.kind == TokenKind::EndOfFile) return missing_comma(open, next);
  std::string detail = fmt::format(
      "An equals sign and a value have to follow the key of an object's item, but "
      "there is {}.",
      describe(next.kind));
  if (next.kind == TokenKind::Identifier) {
    // What foo1.2_bar looks like to us.
    detail += " A key with dots or spaces in it has to be in quotes.";
  }
  error("Value missing in an object", std::move(detail), range(next)).within(covering(open, next));
}

struct NativeParser::ForHead {
  std::string_view key;
  std::string_view value;
  Parsed collection;
};

// Reports (unless that would be noise) and skips the rest of a `for`.
NativeParser::Parsed NativeParser::broken_for(const Token& open, std::string_view detail) {
  const bool object = open.kind == TokenKind::OpenBrace;
  if (!recovery_ && !detail.empty()) {
    const Token next = peek();
    error("Malformed \"for\" expression",
          fmt::format("{}, but there is {}. The form is {}.", detail, describe(next.kind),
                      object ? "{ for key, value in collection : key => value }"
                             : "[ for value in collection : value ]"),
          range(next))
        .within(covering(open, next));
  }
  const Token close = recover(object ? TokenKind::CloseBrace : TokenKind::CloseBracket);
  return invalid(covering(open, close));
}

// for k, v in collection :
bool NativeParser::for_head(const Token& open, ForHead& head, Parsed& failure) {
  const auto fail = [&](std::string_view detail) {
    failure = broken_for(open, detail);
    return false;
  };
  if (!peek_is(TokenKind::Identifier)) return fail("A name has to follow \"for\"");
  head.value = text(read());
  if (peek_is(TokenKind::Comma)) {
    read();
    head.key = head.value;
    if (!peek_is(TokenKind::Identifier)) return fail("A second name has to follow the comma");
    head.value = text(read());
  }
  if (!is_keyword(peek(), "in")) return fail("The word \"in\" has to follow the names");
  read();
  const std::size_t before = mark();
  head.collection = expression();
  if (lost_since(before)) return fail("");
  if (!peek_is(TokenKind::Colon)) return fail("A colon has to follow the collection");
  read();
  return true;
}

NativeParser::Parsed NativeParser::for_expression(const Token& open) {
  const Newlines insignificant(*this, false);
  read();
  ForHead head;
  Parsed failure;
  if (!for_head(open, head, failure)) return failure;

  const Binder binder(*this);
  const std::uint32_t key_slot = next_slot_;
  bind(head.key);
  bind(head.value);
  const std::size_t before = mark();
  std::optional<Parsed> key;
  Parsed value = expression();
  if (peek_is(TokenKind::FatArrow)) {
    read();
    key = value;
    value = expression();
  }
  if (lost_since(before)) return broken_for(open, "");
  std::optional<Token> ellipsis;
  if (peek_is(TokenKind::Ellipsis)) ellipsis = read();
  std::optional<Parsed> condition;
  if (is_keyword(peek(), "if")) {
    read();
    condition = expression();
    if (lost_since(before)) return broken_for(open, "");
  }

  const bool object = open.kind == TokenKind::OpenBrace;
  const TokenKind end = object ? TokenKind::CloseBrace : TokenKind::CloseBracket;
  Token close;
  if (peek_is(end)) {
    close = read();
  } else {
    if (!recovery_) {
      const Token next = peek();
      error("\"for\" expression not closed",
            fmt::format("{} has to end the \"for\" expression, but there is {}.",
                        object ? "A closing brace" : "A closing bracket", describe(next.kind)),
            range(next))
          .within(covering(open, next));
    }
    close = recover(end);
  }
  const auto* made = node<ForExpr>(covering(open, close), head.key, head.value, key_slot,
                                   key_slot + 1, head.collection.expr, key ? key->expr : nullptr,
                                   value.expr, condition ? condition->expr : nullptr,
                                   ellipsis.has_value(), range(open), range(close));
  check_for_shape(open, *made, ellipsis);
  return above(std::max({head.collection.height, key ? key->height : 0, value.height,
                         condition ? condition->height : 0}),
               made);
}

// Only an object has keys, and has to have them.
void NativeParser::check_for_shape(const Token& open, const ForExpr& expr,
                                   std::optional<Token> ellipsis) {
  const bool object = open.kind == TokenKind::OpenBrace;
  if (object && !expr.key) {
    error("Key missing in \"for\" expression",
          "Between braces a \"for\" expression makes an object, so it needs a key: write "
          "\"key => value\".",
          expr.value->range)
        .within(expr.range);
  }
  if (!object && expr.key) {
    error("Key in a \"for\" expression that makes a list",
          "Between brackets a \"for\" expression makes a list, which has no keys. Use braces to "
          "make an object.",
          expr.key->range)
        .within(expr.range);
  }
  if (!object && ellipsis) {
    error("Grouping in a \"for\" expression that makes a list",
          "\"...\" gathers the values of equal keys, and a list has no keys. Use braces to make "
          "an object.",
          range(*ellipsis))
        .within(expr.range);
  }
}

}  // namespace tofu::syntax
