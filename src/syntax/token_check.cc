#include <fmt/format.h>

#include "base/check.h"
#include "syntax/token.h"

namespace tofu::syntax {
namespace {

constexpr int kBitwiseReports = 4;  // how many wrong operators are worth a message each
constexpr int kMaxReports = 100;    // of the same error that OpenTofu reports without end

// Reports quotes of a foreign kind: the opening ones only, and few of them, since
// a file that has one has many.
class PairedMarks {
 public:
  bool should_report() {
    const bool opening = seen_ % 2 == 0;
    if (seen_ <= 2) ++seen_;
    return opening;
  }

 private:
  int seen_ = 0;
};

std::string_view bitwise_hint(TokenKind kind) {
  if (kind == TokenKind::SingleAmpersand) return " For a logical \"and\", write \"&&\".";
  if (kind == TokenKind::SinglePipe) return " For a logical \"or\", write \"||\".";
  if (kind == TokenKind::BitwiseNot) return " For a logical \"not\", write \"!\".";
  return "";
}

class TokenCheck {
 public:
  TokenCheck(std::string_view source, diag::SourceRange at, diag::Diagnostics& diags)
      : source_(source), at_(at), diags_(diags) {}

  void check(const Token& token) {
    switch (token.kind) {
      case TokenKind::SingleAmpersand:
      case TokenKind::SinglePipe:
      case TokenKind::BitwiseNot:
      case TokenKind::BitwiseXor:
        if (bitwise_++ >= kBitwiseReports) return;
        return report(
            token, "Unsupported operator",
            fmt::format("Bitwise operators are not supported.{}", bitwise_hint(token.kind)));
      case TokenKind::Backtick:
        if (!backticks_.should_report()) return;
        return report(token, "Invalid character",
                      "Backticks are not supported. Write a multi-line string as a heredoc, which "
                      "starts with a marker such as <<EOT.");
      case TokenKind::Apostrophe:
        if (!apostrophes_.should_report()) return;
        return report(token, "Invalid character",
                      "Single quotes are not valid. Use double quotes (\") for strings.");
      case TokenKind::Semicolon:
        if (semicolons_++ > 0) return;
        return report(token, "Invalid character",
                      "Semicolons are not valid. Write each argument or block on its own line, and "
                      "separate list and object items with commas.");
      case TokenKind::BadUtf8:
        if (bad_utf8_++ > 0) return;
        return report(token, "Invalid character encoding",
                      "This byte is not valid UTF-8. Save the file as UTF-8.");
      case TokenKind::QuotedNewline:
        if (quoted_newlines_++ >= kMaxReports) return;
        return report(token, "Invalid multi-line string",
                      "A quoted string must end on the line where it starts. Write \\n for a "
                      "newline, or use a heredoc (<<EOT) for multi-line text.");
      case TokenKind::Invalid:
        if (invalid_++ >= kMaxReports) return;
        return report_invalid(token);
      // clang-format off
      case TokenKind::EndOfFile: case TokenKind::Newline: case TokenKind::Comment:
      case TokenKind::Identifier: case TokenKind::Number: case TokenKind::OpenQuote:
      case TokenKind::CloseQuote: case TokenKind::QuotedText: case TokenKind::OpenHeredoc:
      case TokenKind::CloseHeredoc: case TokenKind::HeredocText: case TokenKind::TemplateInterp:
      case TokenKind::TemplateControl: case TokenKind::TemplateSeqEnd: case TokenKind::OpenBrace:
      case TokenKind::CloseBrace: case TokenKind::OpenBracket: case TokenKind::CloseBracket:
      case TokenKind::OpenParen: case TokenKind::CloseParen: case TokenKind::Star:
      case TokenKind::Slash: case TokenKind::Plus: case TokenKind::Minus: case TokenKind::Percent:
      case TokenKind::Equal: case TokenKind::EqualEqual: case TokenKind::NotEqual:
      case TokenKind::Less: case TokenKind::LessEqual: case TokenKind::Greater:
      case TokenKind::GreaterEqual: case TokenKind::And: case TokenKind::Or: case TokenKind::Bang:
      case TokenKind::Question: case TokenKind::Colon: case TokenKind::DoubleColon:
      case TokenKind::Comma: case TokenKind::Dot: case TokenKind::Ellipsis:
      case TokenKind::FatArrow:
        // clang-format on
        return;
    }
  }

 private:
  void report(const Token& token, std::string summary, std::string detail) {
    diags_.error(std::move(summary))
        .detail(std::move(detail))
        .at(diag::part_of(at_, token.begin, token.end));
  }

  void report_invalid(const Token& token) {
    const std::string_view text = token.text(source_);
    if (text == "\u201C" || text == "\u201D") {
      return report(token, "Invalid character",
                    "Curly quotation marks are not valid. Use straight quotes (\") instead.");
    }
    report(token, "Invalid character", "This character is not valid here. Remove it.");
  }

  std::string_view source_;
  diag::SourceRange at_;
  diag::Diagnostics& diags_;
  int bitwise_ = 0;
  int semicolons_ = 0;
  int bad_utf8_ = 0;
  int quoted_newlines_ = 0;
  int invalid_ = 0;
  PairedMarks backticks_;
  PairedMarks apostrophes_;
};

}  // namespace

void check_tokens(std::span<const Token> tokens, std::string_view source, diag::SourceRange at,
                  diag::Diagnostics& diags) {
  TokenCheck check(source, at, diags);
  for (const Token& token : tokens) {
    if (is_never_valid(token.kind)) check.check(token);
  }
}

std::string_view describe(TokenKind kind) {
  switch (kind) {
    case TokenKind::EndOfFile: return "the end of the file";
    case TokenKind::Newline: return "a newline";
    case TokenKind::Comment: return "a comment";
    case TokenKind::Identifier: return "a name";
    case TokenKind::Number: return "a number";
    case TokenKind::OpenQuote: return "an opening quote";
    case TokenKind::CloseQuote: return "a closing quote";
    case TokenKind::QuotedText:
    case TokenKind::HeredocText: return "text";
    case TokenKind::OpenHeredoc: return "the start of a heredoc";
    case TokenKind::CloseHeredoc: return "the end of a heredoc";
    case TokenKind::TemplateInterp: return "an opening \"${\"";
    case TokenKind::TemplateControl: return "an opening \"%{\"";
    case TokenKind::TemplateSeqEnd: return "the closing brace of a template sequence";
    case TokenKind::OpenBrace: return "an opening brace";
    case TokenKind::CloseBrace: return "a closing brace";
    case TokenKind::OpenBracket: return "an opening bracket";
    case TokenKind::CloseBracket: return "a closing bracket";
    case TokenKind::OpenParen: return "an opening parenthesis";
    case TokenKind::CloseParen: return "a closing parenthesis";
    case TokenKind::Star: return "\"*\"";
    case TokenKind::Slash: return "\"/\"";
    case TokenKind::Plus: return "\"+\"";
    case TokenKind::Minus: return "\"-\"";
    case TokenKind::Percent: return "\"%\"";
    case TokenKind::Equal: return "\"=\"";
    case TokenKind::EqualEqual: return "\"==\"";
    case TokenKind::NotEqual: return "\"!=\"";
    case TokenKind::Less: return "\"<\"";
    case TokenKind::LessEqual: return "\"<=\"";
    case TokenKind::Greater: return "\">\"";
    case TokenKind::GreaterEqual: return "\">=\"";
    case TokenKind::And: return "\"&&\"";
    case TokenKind::Or: return "\"||\"";
    case TokenKind::Bang: return "\"!\"";
    case TokenKind::Question: return "a question mark";
    case TokenKind::Colon: return "a colon";
    case TokenKind::DoubleColon: return "\"::\"";
    case TokenKind::Comma: return "a comma";
    case TokenKind::Dot: return "a dot";
    case TokenKind::Ellipsis: return "\"...\"";
    case TokenKind::FatArrow: return "\"=>\"";
    case TokenKind::SingleAmpersand: return "\"&\"";
    case TokenKind::SinglePipe: return "\"|\"";
    case TokenKind::BitwiseNot: return "\"~\"";
    case TokenKind::BitwiseXor: return "\"^\"";
    case TokenKind::Apostrophe: return "an apostrophe";
    case TokenKind::Backtick: return "a backtick";
    case TokenKind::Semicolon: return "a semicolon";
    case TokenKind::QuotedNewline: return "a newline";
    case TokenKind::Invalid: return "an unknown character";
    case TokenKind::BadUtf8: return "a byte that is not UTF-8";
  }
  base::broken_promise("token kind out of range");
}

}  // namespace tofu::syntax
