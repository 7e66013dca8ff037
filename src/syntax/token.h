// Tokens: the smallest pieces of source text, and the scanner that finds them.
//
// A token is a kind and two byte offsets, 12 bytes; its text is in the source.
// Every byte of the source belongs to exactly one token or is blank space
// between two, so the formatter can rebuild a file from its tokens.
//
// The scanner never fails: invalid input becomes an Invalid, BadUtf8 or QuotedNewline token, and
// the parser (or check_tokens) reports it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"

namespace tofu::syntax {

enum class TokenKind : std::uint8_t {
  EndOfFile,
  Newline,  // "\n" or "\r\n"; insignificant ones inside brackets are kept too
  Comment,  // `# …` and `// …` including their line end, `/* … */`
  Identifier,
  Number,
  OpenQuote,  // " that starts a string template
  CloseQuote,
  QuotedText,       // literal part of a quoted template, escapes not yet read
  OpenHeredoc,      // <<EOT or <<-EOT including its line end
  CloseHeredoc,     // the line with the marker, without its line end
  HeredocText,      // at most one line of a heredoc's or bare template's literal text, with its
                    // line end; only $${ and %%{ are escapes in it
  TemplateInterp,   // ${ or ${~
  TemplateControl,  // %{ or %{~
  TemplateSeqEnd,   // } or ~} that ends either
  OpenBrace,
  CloseBrace,
  OpenBracket,
  CloseBracket,
  OpenParen,
  CloseParen,
  Star,
  Slash,
  Plus,
  Minus,
  Percent,
  Equal,
  EqualEqual,
  NotEqual,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  And,
  Or,
  Bang,
  Question,
  Colon,
  DoubleColon,
  Comma,
  Dot,
  Ellipsis,
  FatArrow,
  // Never valid; distinguished for a better message.
  SingleAmpersand,
  SinglePipe,
  BitwiseNot,
  BitwiseXor,
  Apostrophe,
  Backtick,
  Semicolon,
  QuotedNewline,
  Invalid,
  BadUtf8,
};

constexpr bool is_never_valid(TokenKind kind) { return kind >= TokenKind::SingleAmpersand; }

struct Token {
  TokenKind kind;
  bool plain;  // a QuotedText of ASCII that stands for itself: most are
  std::uint32_t begin;
  std::uint32_t end;

  // `source` is what the token was found in.
  std::string_view text(std::string_view source) const {
    return {source.data() + begin, end - begin};
  }
  bool operator==(const Token&) const = default;
};

enum class ScanMode : std::uint8_t {
  Normal,    // configuration or an expression
  Template,  // the text is the inside of a template, as in templatefile
};

// All tokens of `source`, ending with EndOfFile. A byte order mark at the very
// start is skipped. `source` is shorter than 4 GiB.
std::vector<Token> scan(std::string_view source, ScanMode mode);

// Reports the tokens that are never valid, but not every repetition of the same error. `at` is
// where `source` begins in its file.
void check_tokens(std::span<const Token> tokens, std::string_view source, diag::SourceRange at,
                  diag::Diagnostics& diags);

// "an identifier", "a comma", "the closing brace": for messages.
std::string_view describe(TokenKind kind);

}  // namespace tofu::syntax
