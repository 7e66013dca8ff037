// A parser's position in its tokens, and recovery after an error.
//
// The parser never stops at an error: it reports and goes on at the next token from which sense can
// be made. Recovery skips the same tokens and follow-up errors as OpenTofu, since the places of all
// reports have to agree with it: while recovering(), errors that may be no more than an effect of
// an earlier one are not reported.
//
// Private to this component; they call syntax/parser.h.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/token_list.h"

namespace tofu::syntax {

class TokenCursor {
 public:
  // `at` is the place of `text` in its file: its start is exact, but its end may be shifted if
  // escapes were removed or bytes replaced.
  TokenCursor(std::string_view text, diag::SourceRange at, ScanMode mode, diag::Diagnostics& diags);

  // The next token that matters, which is the last one, EndOfFile, for ever.
  Token peek() const { return matters(*next_) ? *next_ : as_seen(*skip_blank(next_)); }
  Token read() {
    const Token* place = matters(*next_) ? next_ : skip_blank(next_);
    last_ = place;
    next_ = place->kind == TokenKind::EndOfFile ? place : place + 1;
    return as_seen(*place);
  }
  bool peek_is(TokenKind kind) const { return peek().kind == kind; }
  bool is_keyword(const Token& token, std::string_view word) const {
    return token.kind == TokenKind::Identifier && text(token) == word;
  }

  // After an opening quote: the text, if it has neither escapes nor template sequences,
  // as most strings. It and the closing quote are then read. Null otherwise.
  const Token* read_plain_text() {
    if (!next_->plain) return nullptr;
    const Token* content = next_;
    last_ = next_ + 1;
    next_ += 2;
    return content;
  }
  // All `.name` that stand here one after the other: dot, name, dot, name.
  std::span<const Token> read_dotted_names() {
    const Token* end = next_;
    // EndOfFile is the last of all tokens, so there is one after every dot.
    while (end[0].kind == TokenKind::Dot && end[1].kind == TokenKind::Identifier) end += 2;
    if (end == next_) return {};
    const Token* first = std::exchange(next_, end);
    last_ = end - 1;
    return {first, end};
  }

  // Texts and places
  std::string_view text(const Token& token) const { return token.text(source_); }
  diag::FileId file() const { return at_.file; }
  diag::SourceRange range(const Token& token) const {
    return diag::part_of(at_, token.begin, token.end);
  }
  // From the start of `first` to the end of `last`.
  diag::SourceRange covering(const Token& first, const Token& last) const {
    return diag::part_of(at_, first.begin, std::max(first.end, last.end));
  }
  diag::SourceRange next_range() const { return range(peek()); }
  const Token& last() const { return *last_; }  // the one read last
  diag::SourceRange last_range() const { return last_ ? range(*last_) : next_range(); }
  std::string line_of(diag::SourceRange at) const;  // "line 3": only for messages

  // Errors. Functions for invalid text are marked cold, to keep them apart from the common path.
  diag::Diagnostics& diags() { return diags_; }
  [[gnu::cold]] diag::Diagnostics::Entry error(std::string summary, std::string detail,
                                               diag::SourceRange at);
  std::size_t mark() const { return diags_.error_count(); }
  bool failed_since(std::size_t before) const { return diags_.error_count() != before; }
  bool failed() const { return failed_since(errors_before_); }
  // Whether an error since then has left the position in a place of no meaning.
  bool lost_since(std::size_t before) const { return recovering_ && failed_since(before); }

  // Going on after an error
  bool recovering() const { return recovering_; }
  void set_recovering() { recovering_ = true; }
  // Continues after the `end` of the current bracket, skipping nested brackets of the same kind.
  // Returns that token, or EndOfFile.
  [[gnu::cold]] Token recover(TokenKind end);
  // Goes on after the next pair of brackets that begins with `open`.
  [[gnu::cold]] void recover_over(TokenKind open);
  // Goes on after the next line end that is not inside brackets.
  [[gnu::cold]] void recover_after_item();
  [[gnu::cold]] void skip_rest();  // nothing more is read

 private:
  friend class Newlines;

  // Whether it is plain to see that a token is not to be skipped. The kinds up to
  // Comment are those that may have to be.
  bool matters(const Token& token) const {
    return token.kind > TokenKind::Comment || (newlines_ && token.kind == TokenKind::Newline);
  }
  const Token* skip_blank(const Token* from) const;
  // The comments that are not skipped are those that stand for the line end in them.
  static Token as_seen(Token token) {
    if (token.kind == TokenKind::Comment) token.kind = TokenKind::Newline;
    return token;
  }

  std::string_view source_;  // owned by the caller
  diag::SourceRange at_;
  diag::Diagnostics& diags_;
  std::size_t errors_before_;  // in diags_ when this began
  TokenList tokens_;
  const Token* next_;
  const Token* last_ = nullptr;
  bool newlines_ = true;
  bool recovering_ = false;
};

// Whether line ends are tokens, for as long as it lives: not inside brackets.
class Newlines {
 public:
  Newlines(TokenCursor& tokens, bool significant)
      : tokens_(tokens), outer_(std::exchange(tokens.newlines_, significant)) {}
  Newlines(const Newlines&) = delete;
  Newlines& operator=(const Newlines&) = delete;
  ~Newlines() { tokens_.newlines_ = outer_; }

 private:
  TokenCursor& tokens_;
  bool outer_;
};

}  // namespace tofu::syntax
