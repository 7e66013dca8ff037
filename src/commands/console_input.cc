#include "commands/console_input.h"

#include <utility>

#include "syntax/token.h"

namespace tofu::commands {

int ConsoleInput::add_line(std::string_view line) {
  // Two backslashes are an escaped one, not a continuation.
  continued_ = line.ends_with('\\') && !line.ends_with("\\\\");
  if (line.ends_with('\\')) line.remove_suffix(1);
  if (line.empty()) return open();
  if (has_text_) text_ += '\n';
  text_ += line;
  has_text_ = true;

  for (const syntax::Token& token : syntax::scan(line, syntax::ScanMode::Normal)) {
    const syntax::TokenKind kind = token.kind;
    if (kind == syntax::TokenKind::OpenBrace) ++braces_;
    if (kind == syntax::TokenKind::CloseBrace) --braces_;
    if (kind == syntax::TokenKind::OpenBracket) ++brackets_;
    if (kind == syntax::TokenKind::CloseBracket) --brackets_;
    if (kind == syntax::TokenKind::OpenParen) ++parens_;
    if (kind == syntax::TokenKind::CloseParen) --parens_;
  }
  return open();
}

int ConsoleInput::open() const {
  if (braces_ < 0 || brackets_ < 0 || parens_ < 0) return -1;
  return (continued_ ? 1 : 0) + braces_ + brackets_ + parens_;
}

std::string ConsoleInput::take() {
  // Only the text is reset: OpenTofu keeps its counts after a surplus closing
  // bracket, but reports the error and (when piped) ends, so it never shows.
  has_text_ = false;
  braces_ = brackets_ = parens_ = 0;
  return std::exchange(text_, {});
}

}  // namespace tofu::commands
