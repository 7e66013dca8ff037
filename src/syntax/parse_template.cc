#include <array>
#include <fmt/format.h>

#include "base/suggest.h"
#include "base/unicode.h"
#include "syntax/native_parser.h"
#include "syntax/string_literal.h"

namespace tofu::syntax {
namespace {

std::string_view trim_start(std::string_view text) {
  while (!text.empty()) {
    const auto [code, length] = base::decode_utf8(text);
    if (!base::is_space(code)) break;
    text.remove_prefix(length);
  }
  return text;
}

std::string_view trim_end(std::string_view text) {
  while (!text.empty()) {
    std::size_t last = text.size() - 1;
    while (last > 0 && (static_cast<unsigned char>(text[last]) & 0xC0) == 0x80) --last;
    if (!base::is_space(base::decode_utf8(text.substr(last)).code)) break;
    text.remove_suffix(text.size() - last);
  }
  return text;
}

bool strips(std::string_view marker) { return marker.find('~') != std::string_view::npos; }

}  // namespace

// A quoted string or a heredoc.
NativeParser::Parsed NativeParser::string_template() {
  const Token open = read();
  const bool heredoc = open.kind == TokenKind::OpenHeredoc;
  // Most strings are plain text, and then the closing quote follows.
  if (next_->plain) {
    const Expr* part = node<LiteralExpr>(range(*next_), file_.constants.ascii(text(*next_)));
    last_ = next_ + 1;
    next_ += 2;
    const auto parts = file_.arena.copy(std::span<const Expr* const>(&part, 1));
    return {node<TemplateExpr>(covering(open, *last_), parts, false), 2};
  }
  const bool flush = heredoc && text(open).starts_with("<<-");
  return finish_template(heredoc ? TokenKind::CloseHeredoc : TokenKind::CloseQuote, flush, &open);
}

const Expr* NativeParser::whole_template() {
  return finish_template(TokenKind::EndOfFile, false, nullptr).expr;
}

// `open` is null if the whole text is a template.
NativeParser::Parsed NativeParser::finish_template(TokenKind end, bool flush, const Token* open) {
  const std::size_t first_part = parts_.size();
  diag::SourceRange at = template_parts(end);
  if (open) at = covering(*open, *last_);
  if (flush) flush_indentation(first_part);
  const bool heredoc = open && open->kind == TokenKind::OpenHeredoc;
  const Parsed made = template_tree(first_part, at, heredoc);
  parts_.resize(first_part);
  return made;
}

const Expr* NativeParser::literal_part(std::string_view content, diag::SourceRange at) {
  return node<LiteralExpr>(at, keep_string(content));
}

// The text of a token, escapes replaced: either in the source or in the arena.
std::string_view NativeParser::literal_text(const Token& token) {
  const bool quoted = token.kind == TokenKind::QuotedText;
  const std::string_view written = text(token);
  if (token.plain || !has_escapes(written, quoted)) return written;
  std::string unescaped;
  append_unescaped(unescaped, written, quoted, range(token), diags_);
  return file_.arena.copy(std::string_view(unescaped));
}

// Reads the parts of a template up to `end`, into parts_, followed by an End. They
// are a flat list; template_tree() finds out what belongs inside what. Returns
// the place of the whole.
diag::SourceRange NativeParser::template_parts(TokenKind end) {
  const Binder binder(*this);
  const std::size_t first_part = parts_.size();
  const std::size_t first_directive = directives_.size();
  const diag::SourceRange start = next_range();
  bool strip_next = false;
  Token token = read();
  while (token.kind != end) {
    const bool strip = std::exchange(strip_next, false);
    if (token.kind == TokenKind::QuotedText || token.kind == TokenKind::HeredocText) {
      const std::string_view content = literal_text(token);
      parts_.push_back({.kind = PartKind::Literal,
                        .range = range(token),
                        .text = strip ? trim_start(content) : content});
    } else if (token.kind == TokenKind::TemplateInterp ||
               token.kind == TokenKind::TemplateControl) {
      const bool after_part = parts_.size() > first_part;
      if (after_part && parts_.back().kind == PartKind::Literal && strips(text(token))) {
        parts_.back().text = trim_end(parts_.back().text);
      }
      const Newlines insignificant(*this, false);
      strip_next = token.kind == TokenKind::TemplateInterp
                       ? interpolation(token, start, end)
                       : directive(token, start, first_directive);
    } else {
      if (!recovery_) {
        error("String not closed",
              fmt::format("The string has to go on or end here, but there is {}.",
                          describe(token.kind)),
              range(token))
            .within({start.file, start.begin, range(token).end});
      }
      token = recover(end);
      break;
    }
    token = read();
  }
  directives_.resize(first_directive);
  if (parts_.size() == first_part) {
    parts_.push_back({.kind = PartKind::Literal, .range = {start.file, start.end, start.end}});
  }
  parts_.push_back({.kind = PartKind::End, .range = range(token)});
  return {start.file, start.begin, range(token).end};
}

// ${ expression }. True if a strip marker ends it.
bool NativeParser::interpolation(const Token& open, diag::SourceRange start, TokenKind end) {
  const Parsed inner = expression();
  const Token close = peek();
  parts_.push_back({.kind = PartKind::Interpolation,
                    .range = covering(open, close),
                    .expr = inner.expr,
                    .height = inner.height});
  if (close.kind == TokenKind::TemplateSeqEnd) {
    read();
    return strips(text(close));
  }
  if (!recovery_) unclosed_interpolation(close, start, end);
  recover(TokenKind::TemplateSeqEnd);
  return false;
}

void NativeParser::unclosed_interpolation(const Token& close, diag::SourceRange start,
                                          TokenKind end) {
  const bool quote = close.kind == TokenKind::CloseQuote || close.kind == TokenKind::OpenQuote;
  if (close.kind == TokenKind::EndOfFile || (quote && end == TokenKind::CloseQuote)) {
    error("Interpolation not closed",
          "There is no closing brace for this \"${\". Perhaps brackets or quotes in it do not "
          "match.",
          start);
    return;
  }
  error("Unexpected text in an interpolation",
        fmt::format("A closing brace has to end the interpolation, but there is {}. If this is "
                    "meant for another language, such as a shell, write \"$${{\" to get a plain "
                    "\"${{\".",
                    describe(close.kind)),
        range(close))
      .within({start.file, start.begin, range(close).end});
}

// %{ keyword … }. True if a strip marker ends it.
bool NativeParser::directive(const Token& open, diag::SourceRange start,
                             std::size_t first_directive) {
  const Token keyword = peek();
  if (keyword.kind != TokenKind::Identifier) {
    if (!recovery_) {
      error("Directive without a keyword",
            fmt::format("A word such as \"if\" or \"for\" has to follow \"%{{\", but there is {}.",
                        describe(keyword.kind)),
            range(keyword))
          .within(covering(open, keyword));
    }
    recover(TokenKind::TemplateSeqEnd);
    return false;
  }
  read();
  if (!directive_part(open, keyword, first_directive)) {
    recover(TokenKind::TemplateSeqEnd);
    return false;
  }
  const Token close = peek();
  if (close.kind == TokenKind::TemplateSeqEnd) {
    read();
    return strips(text(close));
  }
  if (!recovery_) {
    error("Unexpected text in a directive",
          fmt::format("A closing brace has to end the \"{}\" directive, but there is {}.",
                      text(keyword), describe(close.kind)),
          range(close))
        .within({start.file, start.begin, range(close).end});
  }
  recover(TokenKind::TemplateSeqEnd);
  return false;
}

// What comes after the keyword of a directive. False if it could not be read.
bool NativeParser::directive_part(const Token& open, const Token& keyword,
                                  std::size_t first_directive) {
  const std::string_view word = text(keyword);
  const auto add = [&](PartKind kind, Parsed inner = {nullptr, 0}) {
    parts_.push_back({.kind = kind,
                      .range = covering(open, peek()),
                      .expr = inner.expr,
                      .height = inner.height});
    return true;
  };
  const auto leave = [&](bool for_directive) {
    if (directives_.size() == first_directive) return;
    const OpenDirective innermost = directives_.back();
    if (innermost.is_for != for_directive) return;
    directives_.pop_back();
    bound_.resize(innermost.names);
    next_slot_ = innermost.slot;
  };
  if (word == "if") {
    const Parsed condition = expression();
    directives_.push_back({false, bound_.size(), next_slot_});
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
  if (!recovery_) {
    constexpr std::array<std::string_view, 5> kWords = {"if", "for", "else", "endif", "endfor"};
    const std::string_view near = base::nearest_name(word, kWords);
    error("Unknown directive",
          fmt::format("There is no directive \"{}\" in templates.{}", word,
                      near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", near)),
          range(keyword))
        .within(covering(open, keyword));
  }
  return false;
}

// k, v in collection: binds the names until the matching endfor.
bool NativeParser::for_directive(const Token& open) {
  const auto fail = [&](std::string_view detail) {
    if (!recovery_) {
      error("Malformed \"for\" directive",
            fmt::format("{}, but there is {}. The form is %{{ for key, value in collection }}.",
                        detail, describe(peek().kind)),
            next_range());
    }
    return false;
  };
  if (!peek_is(TokenKind::Identifier)) return fail("A name has to follow \"for\"");
  std::string_view value_name = text(read());
  std::string_view key_name;
  if (peek_is(TokenKind::Comma)) {
    read();
    if (!peek_is(TokenKind::Identifier)) return fail("A second name has to follow the comma");
    key_name = std::exchange(value_name, text(read()));
  }
  if (!is_keyword(peek(), "in")) return fail("The word \"in\" has to follow the names");
  read();
  const Parsed collection = expression();
  parts_.push_back({.kind = PartKind::For,
                    .range = covering(open, peek()),
                    .expr = collection.expr,
                    .height = collection.height,
                    .key_name = key_name,
                    .value_name = value_name,
                    .key_slot = next_slot_});
  directives_.push_back({true, bound_.size(), next_slot_});
  bind(key_name);
  bind(value_name);
  return true;
}

}  // namespace tofu::syntax
