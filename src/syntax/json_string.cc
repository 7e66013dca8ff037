#include <algorithm>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/json_text.h"
#include "base/unicode.h"
#include "syntax/json_parser.h"
#include "syntax/native_parser.h"

namespace tofu::syntax {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // which templates drop

// Appends a JSON string without quotes and escapes. Nothing if all is well; otherwise
// how many bytes were read when it broke.
std::optional<std::size_t> append_unquoted(std::string& out, std::string_view quoted) {
  std::size_t at = 1;
  while (true) {
    if (at == quoted.size()) return at;
    const std::size_t plain_end = quoted.find_first_of("\"\\", at);
    out += base::to_valid_utf8(quoted.substr(at, plain_end - at));
    if (plain_end == std::string_view::npos) return quoted.size();
    at = plain_end + 1;
    if (quoted[plain_end] == '"') return std::nullopt;
    if (base::read_json_escape(quoted, at, out) != base::JsonEscape::Read) {
      return std::min(at + 1, quoted.size());
    }
  }
}

bool is_name_byte(char c) {
  return base::is_ascii_alphanumeric(c) || c == '_' || c == '-' ||
         static_cast<unsigned char>(c) >= 0x80;
}

// The first byte after a leading name and blanks: distinguishes prose from a reference or a call
// without scanning it. 0 at the end.
char after_leading_name(std::string_view text) {
  std::size_t at = text.find_first_not_of(" \t\r\n");
  if (at == std::string_view::npos || !is_name_byte(text[at])) return '!';
  while (at < text.size() && is_name_byte(text[at])) ++at;
  at = text.find_first_not_of(" \t\r\n", at);
  return at == std::string_view::npos ? '\0' : text[at];
}

}  // namespace

const Expr* JsonParser::string() {
  const JsonToken token = read();
  const std::string_view quoted = token.text(source_);
  const bool plain = quoted.size() >= 2 && quoted.ends_with('"') &&
                     quoted.find('\\') == std::string_view::npos && base::is_valid_utf8(quoted);
  if (plain) return string_expr(quoted.substr(1, quoted.size() - 2), range(token));
  std::string text;
  if (const auto broken = append_unquoted(text, quoted)) {
    // OpenTofu points behind the invalid byte, so we do.
    const auto at = token.begin + static_cast<std::uint32_t>(*broken);
    diags_.error("Invalid JSON string")
        .detail(
            "The string has no closing quote, or contains an escape sequence that JSON does not "
            "define.")
        .at({file_.id, at, at + 1})
        .within(range(token));
    return invalid(token);
  }
  return string_expr(file_.arena.copy(std::string_view(text)), range(token));
}

// Each reading of the string that may be asked for later is made now, so that the
// tree never changes after parsing.
const Expr* JsonParser::string_expr(std::string_view text, diag::SourceRange at) {
  auto* made = node<JsonStringExpr>(at, text, file_.constants.string(text), nullptr);
  made->parsed = template_in(*made);
  const char next = after_leading_name(text);
  diag::Diagnostics ignored;
  if (next == '\0' || next == '.' || next == '[' || next == '#' || next == '/') {
    NativeParser parser(file_, text, at, ScanMode::Normal, ignored, depth_);
    if (const auto traversal = parser.whole_traversal(false)) {
      made->traversal = file_.arena.make<Traversal>(*traversal);
    }
  } else if (next == '(' || next == ':') {
    NativeParser parser(file_, text, at, ScanMode::Normal, ignored, depth_);
    const Expr* expr = parser.whole_expression();
    if (!ignored.has_errors()) made->call = as_if<CallExpr>(*expr);
  }
  return made;
}

const Expr* JsonParser::template_in(JsonStringExpr& string) {
  const std::string_view text = string.text;
  diag::SourceRange inside = string.range;
  ++inside.begin;
  const bool has_sequence = text.find("${") != std::string_view::npos ||
                            text.find("%{") != std::string_view::npos ||
                            text.starts_with(kByteOrderMark);
  if (!has_sequence) return node<LiteralExpr>(inside, string.literal);
  diag::Diagnostics found;
  NativeParser parser(file_, text, inside, ScanMode::Template, found, depth_);
  const Expr* parsed = parser.whole_template();
  if (!found.has_errors()) return parsed;
  string.errors = &file_.deferred.emplace_back(found.items().begin(), found.items().end());
  return node<InvalidExpr>(string.range);
}

}  // namespace tofu::syntax
