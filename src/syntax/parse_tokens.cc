#include <algorithm>
#include <fmt/format.h>

#include "base/unicode.h"
#include "syntax/native_parser.h"

namespace tofu::syntax {
namespace {

// The other end of a pair of brackets; EndOfFile if `kind` is no bracket.
TokenKind opposite(TokenKind kind) {
  if (kind == TokenKind::OpenBrace) return TokenKind::CloseBrace;
  if (kind == TokenKind::OpenBracket) return TokenKind::CloseBracket;
  if (kind == TokenKind::OpenParen) return TokenKind::CloseParen;
  if (kind == TokenKind::OpenQuote) return TokenKind::CloseQuote;
  if (kind == TokenKind::OpenHeredoc) return TokenKind::CloseHeredoc;
  if (kind == TokenKind::CloseBrace) return TokenKind::OpenBrace;
  if (kind == TokenKind::CloseBracket) return TokenKind::OpenBracket;
  if (kind == TokenKind::CloseParen) return TokenKind::OpenParen;
  if (kind == TokenKind::CloseQuote) return TokenKind::OpenQuote;
  if (kind == TokenKind::CloseHeredoc) return TokenKind::OpenHeredoc;
  if (kind == TokenKind::TemplateSeqEnd) return TokenKind::TemplateInterp;
  return TokenKind::EndOfFile;
}

// Both kinds of template sequence end alike, so they count as one kind of opener.
TokenKind opener(TokenKind kind) {
  return kind == TokenKind::TemplateControl ? TokenKind::TemplateInterp : kind;
}

bool opens(TokenKind kind) {
  return kind == TokenKind::OpenBrace || kind == TokenKind::OpenBracket ||
         kind == TokenKind::OpenParen || kind == TokenKind::OpenQuote ||
         kind == TokenKind::OpenHeredoc || kind == TokenKind::TemplateInterp;
}

bool closes(TokenKind kind) { return !opens(kind) && opposite(kind) != TokenKind::EndOfFile; }

}  // namespace

NativeParser::NativeParser(File& file, std::string_view text, diag::SourceRange at, ScanMode mode,
                           diag::Diagnostics& diags, int depth)
    : file_(file),
      source_(text),
      at_(at),
      diags_(diags),
      errors_before_(diags.error_count()),
      tokens_(scan_list(text, mode)),
      next_(tokens_.begin()),
      depth_(depth) {
  if (tokens_.has_invalid()) {
    check_tokens({tokens_.begin(), tokens_.end()}, source_, at_, diags_);
  }
}

const Token* NativeParser::skip_blank(const Token* from) const {
  for (;; ++from) {
    if (from->kind == TokenKind::Newline) {
      if (newlines_) return from;
    } else if (from->kind == TokenKind::Comment) {
      if (newlines_ && text(*from).ends_with('\n')) return from;
    } else {
      return from;
    }
  }
}

// Goes on after the `end` that closes what is open now, skipping whole brackets
// of the same kind. Returns that token, or EndOfFile.
Token NativeParser::recover(TokenKind end) {
  const TokenKind start = opposite(end);
  recovery_ = true;
  for (std::size_t nested = 0;;) {
    const Token token = read();
    if (token.kind == TokenKind::EndOfFile) return token;
    const TokenKind kind = end == TokenKind::TemplateSeqEnd ? opener(token.kind) : token.kind;
    if (kind == start) {
      ++nested;
    } else if (kind == end) {
      if (nested == 0) return token;
      --nested;
    }
  }
}

// Goes on after the next pair of brackets that begins with `open`.
void NativeParser::recover_over(TokenKind open) {
  Token token = read();
  while (token.kind != open && token.kind != TokenKind::EndOfFile) token = read();
  recover(opposite(open));
}

// Goes on after the next line end that is not inside brackets.
void NativeParser::recover_after_item() {
  recovery_ = true;
  std::vector<TokenKind> open;
  while (true) {
    const TokenKind kind = opener(read().kind);
    if (kind == TokenKind::EndOfFile || (kind == TokenKind::Newline && open.empty())) return;
    if (opens(kind)) {
      open.push_back(kind);
    } else if (closes(kind)) {
      while (!open.empty() && open.back() != opposite(kind)) open.pop_back();
      if (!open.empty()) open.pop_back();
    }
  }
}

diag::Diagnostics::Entry NativeParser::error(std::string summary, std::string detail,
                                             diag::SourceRange at) {
  auto entry = diags_.error(std::move(summary));
  entry.detail(std::move(detail)).at(at);
  return entry;
}

// Reports once and gives up on the rest of the text, because what comes after
// such nesting is no better.
NativeParser::Parsed NativeParser::too_deep(diag::SourceRange at) {
  if (!gave_up_) {
    error("Nesting too deep",
          fmt::format("Expressions, templates and blocks may be nested {} levels deep, and this "
                      "goes beyond. Give parts of it names of their own.",
                      kMaxNesting),
          at);
  }
  gave_up_ = true;
  recovery_ = true;
  next_ = tokens_.end() - 1;
  return invalid(at);
}

NativeParser::Parsed NativeParser::invalid(diag::SourceRange at) {
  return {node<InvalidExpr>(at), 1};
}

// Only for messages, so it may count.
std::string NativeParser::line_of(diag::SourceRange at) const {
  const std::string_view before = source_.substr(0, at.begin - at_.begin);
  return fmt::format("line {}", 1 + std::count(before.begin(), before.end(), '\n'));
}

// The scanner lets overlong UTF-8 pass, but a value never holds any.
const value::Value* NativeParser::keep_string(std::string_view content) {
  if (base::is_ascii(content)) return file_.constants.ascii(content);
  if (base::is_valid_utf8(content)) return file_.constants.string(content);
  return file_.constants.string(base::to_valid_utf8(content));
}

const value::Value* NativeParser::keep(value::Value constant) {
  return file_.constants.keep(std::move(constant));
}

std::optional<std::uint32_t> NativeParser::slot_of(std::string_view name) const {
  for (auto bound = bound_.rbegin(); bound != bound_.rend(); ++bound) {
    if (bound->name == name) return bound->slot;
  }
  return std::nullopt;
}

// Gives `name` the next slot. An empty name takes up a slot but is not found.
void NativeParser::bind(std::string_view name) {
  const std::uint32_t slot = next_slot_++;
  if (!name.empty()) bound_.push_back({name, slot});
}

}  // namespace tofu::syntax
