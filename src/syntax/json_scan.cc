#include <cstring>

#include "base/ascii.h"
#include "syntax/json_parser.h"

namespace tofu::syntax {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool starts_number(char c) { return base::is_ascii_digit(c) || c == '-' || c == '+' || c == '.'; }
bool in_number(char c) { return starts_number(c) || c == 'e' || c == 'E'; }

// End of the string whose opening quote is at `begin`; a control character ends
// it too, without being part of it.
std::size_t string_end(std::string_view source, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < source.size()) {
    const auto c = static_cast<unsigned char>(source[at]);
    if (c < 0x20) return at;
    ++at;
    if (c == '"') return at;
    if (c == '\\' && at < source.size() && static_cast<unsigned char>(source[at]) >= 0x20) ++at;
  }
  return at;
}

JsonTokenKind punctuation(char c) {
  switch (c) {
    case '{': return JsonTokenKind::OpenBrace;
    case '}': return JsonTokenKind::CloseBrace;
    case '[': return JsonTokenKind::OpenBracket;
    case ']': return JsonTokenKind::CloseBracket;
    case ',': return JsonTokenKind::Comma;
    case ':': return JsonTokenKind::Colon;
    case '=': return JsonTokenKind::Equals;
    default: return JsonTokenKind::Invalid;
  }
}

}  // namespace

std::vector<JsonToken> scan_json(std::string_view source) {
  std::vector<JsonToken> tokens;
  tokens.reserve(source.size() / 8 + 8);
  std::size_t at = 0;
  while (true) {
    while (at < source.size() && is_blank(source[at])) ++at;
    const std::size_t begin = at;
    if (at == source.size()) break;
    const char c = source[at];
    JsonTokenKind kind = punctuation(c);
    if (c == '"') {
      kind = JsonTokenKind::String;
      at = string_end(source, begin);
    } else if (starts_number(c)) {
      kind = JsonTokenKind::Number;
      while (at < source.size() && in_number(source[at])) ++at;
    } else if (base::is_ascii_letter(c)) {
      kind = JsonTokenKind::Keyword;
      while (at < source.size() && (base::is_ascii_letter(source[at]) || source[at] == '_')) ++at;
    } else {
      ++at;
    }
    tokens.push_back({kind, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)});
    if (kind == JsonTokenKind::Invalid) break;
  }
  const auto end = static_cast<std::uint32_t>(at);
  tokens.push_back({JsonTokenKind::EndOfFile, end, end});
  return tokens;
}

}  // namespace tofu::syntax
