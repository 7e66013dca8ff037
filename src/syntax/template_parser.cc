#include "syntax/template_parser.h"

#include <array>
#include <fmt/format.h>
#include <utility>

#include "base/suggest.h"
#include "base/trim.h"
#include "base/unicode.h"
#include "syntax/expression_parser.h"
#include "syntax/plain_string.h"

namespace tofu::syntax {
namespace {

bool strips(std::string_view marker) { return marker.find('~') != std::string_view::npos; }

}  // namespace

Parsed TemplateParser::string() {
  const Token open = tokens_.read();
  const bool heredoc = open.kind == TokenKind::OpenHeredoc;
  if (const Token* content = tokens_.read_plain_text()) {
    const Expr* part = tree_.node<LiteralExpr>(tokens_.range(*content),
                                               tree_.constants().ascii(tokens_.text(*content)));
    const auto parts = tree_.arena().copy(std::span<const Expr* const>(&part, 1));
    return {tree_.node<TemplateExpr>(tokens_.covering(open, tokens_.last()), parts, false), 2};
  }
  const bool flush = heredoc && tokens_.text(open).starts_with("<<-");
  return finish(heredoc ? TokenKind::CloseHeredoc : TokenKind::CloseQuote, flush, &open);
}

const Expr* TemplateParser::whole() { return finish(TokenKind::EndOfFile, false, nullptr).expr; }

// `open` is null if the whole text is a template.
Parsed TemplateParser::finish(TokenKind end, bool flush, const Token* open) {
  const std::size_t first_part = parts_.size();
  diag::SourceRange at = read_parts(end);
  if (open) at = tokens_.covering(*open, tokens_.last());
  const std::span parts = std::span(parts_).subspan(first_part);
  if (flush) flush_indentation(parts);
  const bool heredoc = open && open->kind == TokenKind::OpenHeredoc;
  const Parsed made = TemplateTree(parts, items_, tokens_, tree_).make(at, heredoc);
  parts_.resize(first_part);
  return made;
}

// Reads the parts of a template up to `end`, into parts_, followed by an End. They
// are a flat list; TemplateTree finds out what belongs inside what. Returns
// the place of the whole.
diag::SourceRange TemplateParser::read_parts(TokenKind end) {
  const Binder binder(names_);
  const std::size_t first_part = parts_.size();
  const std::size_t first_directive = directives_.size();
  const diag::SourceRange start = tokens_.next_range();
  bool strip_next = false;
  Token token = tokens_.read();
  while (token.kind != end) {
    const bool strip = std::exchange(strip_next, false);
    if (token.kind == TokenKind::QuotedText || token.kind == TokenKind::HeredocText) {
      const std::string_view content = literal_text(token, tokens_, tree_);
      parts_.push_back({.kind = PartKind::Literal,
                        .range = tokens_.range(token),
                        .text = strip ? base::trim_start(content, base::is_space) : content});
    } else if (token.kind == TokenKind::TemplateInterp ||
               token.kind == TokenKind::TemplateControl) {
      const bool after_part = parts_.size() > first_part;
      if (after_part && parts_.back().kind == PartKind::Literal && strips(tokens_.text(token))) {
        parts_.back().text = base::trim_end(parts_.back().text, base::is_space);
      }
      const Newlines insignificant(tokens_, false);
      strip_next = token.kind == TokenKind::TemplateInterp
                       ? interpolation(token, start, end)
                       : directive(token, start, first_directive);
    } else {
      if (!tokens_.recovering()) {
        tokens_
            .error("Unterminated template string",
                   fmt::format("This string is missing its closing quote. Found {} instead.",
                               describe(token.kind)),
                   tokens_.range(token))
            .within({start.file, start.begin, tokens_.range(token).end});
      }
      token = tokens_.recover(end);
      break;
    }
    token = tokens_.read();
  }
  directives_.resize(first_directive);
  if (parts_.size() == first_part) {
    parts_.push_back({.kind = PartKind::Literal, .range = {start.file, start.end, start.end}});
  }
  parts_.push_back({.kind = PartKind::End, .range = tokens_.range(token)});
  return {start.file, start.begin, tokens_.range(token).end};
}

// ${ expression }. True if a strip marker ends it.
bool TemplateParser::interpolation(const Token& open, diag::SourceRange start, TokenKind end) {
  const Parsed inner = expressions_.expression();
  const Token close = tokens_.peek();
  parts_.push_back({.kind = PartKind::Interpolation,
                    .range = tokens_.covering(open, close),
                    .expr = inner.expr,
                    .height = inner.height});
  if (close.kind == TokenKind::TemplateSeqEnd) {
    tokens_.read();
    return strips(tokens_.text(close));
  }
  if (!tokens_.recovering()) unclosed_interpolation(close, start, end);
  tokens_.recover(TokenKind::TemplateSeqEnd);
  return false;
}

void TemplateParser::unclosed_interpolation(const Token& close, diag::SourceRange start,
                                            TokenKind end) {
  const bool quote = close.kind == TokenKind::CloseQuote || close.kind == TokenKind::OpenQuote;
  if (close.kind == TokenKind::EndOfFile || (quote && end == TokenKind::CloseQuote)) {
    tokens_.error(
        "Unclosed template interpolation sequence",
        "This \"${\" has no closing brace. Check for mismatched brackets or quotes inside it.",
        start);
    return;
  }
  tokens_
      .error("Extra characters after interpolation expression",
             fmt::format("Expected a closing brace to end the interpolation, found {}. For a "
                         "literal \"${{\", for example in a shell script, write \"$${{\".",
                         describe(close.kind)),
             tokens_.range(close))
      .within({start.file, start.begin, tokens_.range(close).end});
}

// %{ keyword … }. True if a strip marker ends it.
bool TemplateParser::directive(const Token& open, diag::SourceRange start,
                               std::size_t first_directive) {
  const Token keyword = tokens_.peek();
  if (keyword.kind != TokenKind::Identifier) {
    if (!tokens_.recovering()) {
      tokens_
          .error(
              "Invalid template directive",
              fmt::format("Expected a keyword such as \"if\" or \"for\" after \"%{{\", found {}.",
                          describe(keyword.kind)),
              tokens_.range(keyword))
          .within(tokens_.covering(open, keyword));
    }
    tokens_.recover(TokenKind::TemplateSeqEnd);
    return false;
  }
  tokens_.read();
  if (!directive_part(open, keyword, first_directive)) {
    tokens_.recover(TokenKind::TemplateSeqEnd);
    return false;
  }
  const Token close = tokens_.peek();
  if (close.kind == TokenKind::TemplateSeqEnd) {
    tokens_.read();
    return strips(tokens_.text(close));
  }
  if (!tokens_.recovering()) {
    tokens_
        .error("Extra characters in template directive",
               fmt::format("Expected a closing brace to end the \"{}\" directive, found {}.",
                           tokens_.text(keyword), describe(close.kind)),
               tokens_.range(close))
        .within({start.file, start.begin, tokens_.range(close).end});
  }
  tokens_.recover(TokenKind::TemplateSeqEnd);
  return false;
}

void TemplateParser::add_part(PartKind kind, const Token& open, Parsed inner) {
  parts_.push_back({.kind = kind,
                    .range = tokens_.covering(open, tokens_.peek()),
                    .expr = inner.expr,
                    .height = inner.height});
}

// Parses the rest of a directive, after its keyword. False if it could not be read.
bool TemplateParser::directive_part(const Token& open, const Token& keyword,
                                    std::size_t first_directive) {
  const std::string_view word = tokens_.text(keyword);
  const auto leave = [&](bool for_directive) {
    if (directives_.size() == first_directive) return;
    const OpenDirective innermost = directives_.back();
    if (innermost.is_for != for_directive) return;
    directives_.pop_back();
    names_.restore(innermost.outer);
  };
  const auto add = [&](PartKind kind, Parsed inner = {nullptr, 0}) {
    add_part(kind, open, inner);
    return true;
  };
  if (word == "if") {
    const Parsed condition = expressions_.expression();
    directives_.push_back({false, names_.mark()});
    return add(PartKind::If, condition);
  }
  if (word == "for") return for_directive(open);
  if (word == "else") return add(PartKind::Else);
  if (word == "endif") {
    leave(false);
    return add(PartKind::EndIf);
  }
  if (word == "endfor") {
    leave(true);
    return add(PartKind::EndFor);
  }
  if (!tokens_.recovering()) {
    constexpr std::array<std::string_view, 5> kWords = {"if", "for", "else", "endif", "endfor"};
    tokens_
        .error("Invalid template control keyword",
               fmt::format("\"{}\" is not a valid template directive.{}", word,
                           base::did_you_mean(word, kWords)),
               tokens_.range(keyword))
        .within(tokens_.covering(open, keyword));
  }
  return false;
}

// k, v in collection: binds the names until the matching endfor.
bool TemplateParser::for_directive(const Token& open) {
  const auto fail = [&](std::string_view detail) {
    if (!tokens_.recovering()) {
      tokens_.error("Invalid 'for' directive",
                    fmt::format("{}, but found {}. Expected %{{ for key, value in collection }}.",
                                detail, describe(tokens_.peek().kind)),
                    tokens_.next_range());
    }
    return false;
  };
  if (!tokens_.peek_is(TokenKind::Identifier)) return fail("Expected a name after \"for\"");
  std::string_view value_name = tokens_.text(tokens_.read());
  std::string_view key_name;
  if (tokens_.peek_is(TokenKind::Comma)) {
    tokens_.read();
    if (!tokens_.peek_is(TokenKind::Identifier))
      return fail("Expected a second name after the comma");
    key_name = std::exchange(value_name, tokens_.text(tokens_.read()));
  }
  if (!tokens_.is_keyword(tokens_.peek(), "in")) return fail("Expected \"in\" after the names");
  tokens_.read();
  const Parsed collection = expressions_.expression();
  parts_.push_back({.kind = PartKind::For,
                    .range = tokens_.covering(open, tokens_.peek()),
                    .expr = collection.expr,
                    .height = collection.height,
                    .key_name = key_name,
                    .value_name = value_name,
                    .key_slot = names_.next_slot()});
  directives_.push_back({true, names_.mark()});
  names_.bind(key_name);
  names_.bind(value_name);
  return true;
}

}  // namespace tofu::syntax
