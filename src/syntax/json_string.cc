#include <algorithm>
#include <fmt/format.h>

#include "base/hex.h"
#include "base/unicode.h"
#include "syntax/json_parser.h"
#include "syntax/native_parser.h"

namespace tofu::syntax {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";  // which templates drop

// Replaces the escapes of a JSON string, quotes included in `quoted`.
class Unescaper {
 public:
  Unescaper(std::string_view quoted, std::string& out) : text_(quoted), out_(out) {}

  // Nothing if all is well; otherwise how many bytes were read when it broke.
  std::optional<std::size_t> run() {
    while (true) {
      if (at_ == text_.size()) return at_;
      const std::size_t plain_end = text_.find_first_of("\"\\", at_);
      out_ += base::to_valid_utf8(text_.substr(at_, plain_end - at_));
      if (plain_end == std::string_view::npos) return text_.size();
      at_ = plain_end + 1;
      if (text_[plain_end] == '"') return std::nullopt;
      if (!escape()) return std::min(at_ + 1, text_.size());
    }
  }

 private:
  // What follows a backslash. False if it is wrong at at_.
  bool escape() {
    if (at_ == text_.size()) return false;
    constexpr std::string_view kSelectors = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    const char selector = text_[at_];
    if (const auto which = kSelectors.find(selector); which != std::string_view::npos) {
      out_ += kMeanings[which];
      ++at_;
      return true;
    }
    if (selector != 'u') return false;
    ++at_;
    const auto code = four_digits();
    if (!code) return false;
    append(*code);
    return true;
  }

  std::optional<char32_t> four_digits() {
    char32_t code = 0;
    for (const std::size_t end = at_ + 4; at_ < end; ++at_) {
      const int digit = at_ < text_.size() ? base::hex_digit(text_[at_]) : -1;
      if (digit < 0) return std::nullopt;
      code = code * 16 + static_cast<char32_t>(digit);
    }
    return code;
  }

  // Two surrogates in a row are one character; a lone one is none.
  void append(char32_t code) {
    if (code < 0xD800 || code > 0xDFFF) return base::append_utf8(out_, code);
    if (code < 0xDC00 && text_.substr(at_).starts_with("\\u")) {
      const std::size_t before = at_;
      at_ += 2;
      const auto low = four_digits();
      if (low && *low >= 0xDC00 && *low <= 0xDFFF) {
        return base::append_utf8(out_, 0x10000 + ((code - 0xD800) << 10) + (*low - 0xDC00));
      }
      at_ = before;
    }
    base::append_utf8(out_, base::kReplacement);
  }

  std::string_view text_;
  std::string& out_;
  std::size_t at_ = 1;
};

bool is_name_byte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || static_cast<unsigned char>(c) >= 0x80;
}

// The first byte after a leading name and blanks: tells prose from a reference or
// a call without scanning it. 0 at the end.
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
  if (const auto broken = Unescaper(quoted, text).run()) {
    // OpenTofu points behind the byte at fault, so we do.
    const auto at = token.begin + static_cast<std::uint32_t>(*broken);
    diags_.error("Malformed JSON string")
        .detail("The string is not closed, or has an escape that JSON does not know.")
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
