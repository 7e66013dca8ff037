#include "syntax/string_literal.h"

#include <fmt/format.h>

#include "base/hex.h"
#include "base/unicode.h"

namespace tofu::syntax {
namespace {

class Unescaper {
 public:
  Unescaper(std::string& out, std::string_view text, diag::SourceRange at, diag::Diagnostics& diags)
      : out_(out), text_(text), at_(at), diags_(diags) {}

  // One escape that starts with the backslash at `begin`; returns where it ends.
  std::size_t backslash(std::size_t begin) {
    if (begin + 1 == text_.size()) {
      return wrong(begin, 1, "Expected an escape character after the backslash.");
    }
    const char selector = text_[begin + 1];
    switch (selector) {
      case 'n': return put(begin, '\n');
      case 'r': return put(begin, '\r');
      case 't': return put(begin, '\t');
      case '"': return put(begin, '"');
      case '\\': return put(begin, '\\');
      case 'u': return code_point(begin, 4);
      case 'U': return code_point(begin, 8);
      default: break;
    }
    const std::string_view character =
        text_.substr(begin + 1, base::decode_utf8(text_.substr(begin + 1)).length);
    report(begin, 1 + character.size(),
           fmt::format(
               "The escape sequence \"\\{}\" is not valid. To write a backslash, use \"\\\\\".",
               character));
    out_ += character;
    return begin + 1 + character.size();
  }

 private:
  std::size_t put(std::size_t begin, char c) {
    out_ += c;
    return begin + 2;
  }

  std::size_t code_point(std::size_t begin, std::size_t digits) {
    char32_t code = 0;
    std::size_t end = begin + 2;
    while (end < text_.size() && end < begin + 2 + digits && base::hex_digit(text_[end]) >= 0) {
      code = code * 16 + static_cast<char32_t>(base::hex_digit(text_[end++]));
    }
    if (end != begin + 2 + digits) {
      return wrong(begin, end - begin,
                   fmt::format("Expected {1} hexadecimal digits after \"\\{0}\".", text_[begin + 1],
                               digits));
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) {
      return wrong(begin, end - begin,
                   fmt::format("U+{:04X} is not a valid Unicode character.", std::uint32_t{code}));
    }
    base::append_utf8(out_, code);
    return end;
  }

  std::size_t wrong(std::size_t begin, std::size_t length, std::string detail) {
    report(begin, length, std::move(detail));
    out_ += text_.substr(begin, length);
    return begin + length;
  }

  void report(std::size_t begin, std::size_t length, std::string detail) {
    diags_.error("Invalid escape sequence")
        .detail(std::move(detail))
        .at(diag::part_of(at_, static_cast<std::uint32_t>(begin),
                          static_cast<std::uint32_t>(begin + length)));
  }

  std::string& out_;
  std::string_view text_;
  diag::SourceRange at_;
  diag::Diagnostics& diags_;
};

// Appends `text`, with ${ for $${ and %{ for %%{. Marks go by pairs: in $$${ the
// first two stand for themselves, so the third has nothing to double it.
void append_sequence_escapes(std::string& out, std::string_view text) {
  std::size_t copied = 0;
  std::size_t at = 0;
  while ((at = text.find_first_of("$%", at)) != std::string_view::npos) {
    const std::string_view rest = text.substr(at);
    const bool doubled = rest.size() > 1 && rest[1] == rest[0];
    if (doubled && rest.substr(2).starts_with('{')) {
      out += text.substr(copied, at - copied);
      copied = at + 1;
    }
    at += doubled ? 2 : 1;
  }
  out += text.substr(copied);
}

bool escapes_sequence(std::string_view text) {
  return text.find("$${") != std::string_view::npos || text.find("%%{") != std::string_view::npos;
}

}  // namespace

bool has_escapes(std::string_view text, bool quoted) {
  // The scanner cuts quoted text so that $${ can only stand at its start.
  if (quoted)
    return text.starts_with("$${") || text.starts_with("%%{") ||
           text.find('\\') != std::string_view::npos;
  return escapes_sequence(text);
}

void append_unescaped(std::string& out, std::string_view text, bool quoted, diag::SourceRange at,
                      diag::Diagnostics& diags) {
  if (!quoted || text.starts_with('$') || text.starts_with('%')) {
    return append_sequence_escapes(out, text);
  }
  Unescaper unescaper(out, text, at, diags);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t escape = text.find('\\', begin);
    out += text.substr(begin, escape - begin);
    if (escape == std::string_view::npos) return;
    begin = unescaper.backslash(escape);
  }
}

}  // namespace tofu::syntax
