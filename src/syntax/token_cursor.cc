#include "syntax/token_cursor.h"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <optional>
#include <vector>

#include "syntax/binary_file.h"

namespace tofu::syntax {
namespace {

// The other end of a pair of brackets; EndOfFile if `kind` is not a bracket.
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

TokenCursor::TokenCursor(std::string_view text, diag::SourceRange at, ScanMode mode,
                         diag::Diagnostics& diags)
    : source_(text),
      at_(at),
      diags_(diags),
      errors_before_(diags.error_count()),
      tokens_(scan_list(text, mode)),
      next_(tokens_.begin()) {
  if (!tokens_.has_invalid()) return;
  if (!check_is_text(source_, at_, diags_)) {
    skip_rest();
    return;
  }
  check_tokens({tokens_.begin(), tokens_.end()}, source_, at_, diags_);
}

const Token* TokenCursor::skip_blank(const Token* from) const {
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

Token TokenCursor::recover(TokenKind end) {
  const TokenKind start = opposite(end);
  recovering_ = true;
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

void TokenCursor::recover_over(TokenKind open) {
  Token token = read();
  while (token.kind != open && token.kind != TokenKind::EndOfFile) token = read();
  recover(opposite(open));
}

void TokenCursor::recover_after_item() {
  recovering_ = true;
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

diag::Diagnostics::Entry TokenCursor::error(std::string summary, std::string detail,
                                            diag::SourceRange at) {
  auto entry = diags_.error(std::move(summary));
  entry.detail(std::move(detail)).at(at);
  return entry;
}

void TokenCursor::skip_rest() {
  recovering_ = true;
  next_ = tokens_.end() - 1;
}

// Only for messages, so it may count.
std::string TokenCursor::line_of(diag::SourceRange at) const {
  const std::string_view before = source_.substr(0, at.begin - at_.begin);
  return fmt::format("line {}", 1 + std::count(before.begin(), before.end(), '\n'));
}

}  // namespace tofu::syntax
