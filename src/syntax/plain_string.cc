#include "syntax/plain_string.h"

#include <fmt/format.h>
#include <string>
#include <utility>

#include "syntax/string_literal.h"

namespace tofu::syntax {

std::string_view literal_text(const Token& token, TokenCursor& tokens, TreeBuilder& tree) {
  const bool quoted = token.kind == TokenKind::QuotedText;
  const std::string_view written = tokens.text(token);
  if (token.plain || !has_escapes(written, quoted)) return written;
  std::string unescaped;
  append_unescaped(unescaped, written, quoted, tokens.range(token), tokens.diags());
  return tree.arena().copy(std::string_view(unescaped));
}

Label read_plain_string(TokenCursor& tokens, TreeBuilder& tree) {
  const Token open = tokens.read();
  std::string_view plain;
  std::string joined;
  bool first = true;
  while (true) {
    const Token token = tokens.read();
    if (token.kind == TokenKind::QuotedText) {
      const std::string_view piece = literal_text(token, tokens, tree);
      if (std::exchange(first, false)) {
        plain = piece;
        continue;
      }
      if (joined.empty()) joined = plain;
      plain = joined += piece;
      continue;
    }
    if (token.kind == TokenKind::TemplateInterp || token.kind == TokenKind::TemplateControl) {
      const char which = tokens.text(token).front();
      tokens
          .error("Invalid string literal",
                 fmt::format("Template sequences are not allowed in this string. To write these "
                             "characters literally, write \"{0}{0}{{\".",
                             which),
                 tokens.range(token))
          .within(tokens.covering(open, token));
      tokens.recover(TokenKind::TemplateSeqEnd);
      // So that later messages do not take the label for another one.
      first = false;
      if (joined.empty()) joined = plain;
      joined += which;
      plain = joined += "{…}";
      continue;
    }
    if (token.kind == TokenKind::EndOfFile) {
      tokens
          .error("Unterminated string literal", "Missing closing quote of this string.",
                 tokens.range(token))
          .within(tokens.covering(open, token));
    } else if (token.kind != TokenKind::CloseQuote) {
      tokens
          .error("Invalid string literal",
                 fmt::format("This string cannot contain {}.", describe(token.kind)),
                 tokens.range(token))
          .within(tokens.covering(open, token));
      tokens.recover(TokenKind::CloseQuote);
    }
    const std::string_view kept = joined.empty() ? plain : tree.arena().copy(plain);
    return {kept, tokens.covering(open, token)};
  }
}

}  // namespace tofu::syntax
