// Formatting: what is laid out once stays as it is, and layout changes nothing but
// blanks, so that the result has the tokens of the source.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/format.h"
#include "syntax/format_edit.h"
#include "syntax/parser.h"
#include "syntax/token.h"

namespace {

namespace syntax = tofu::syntax;
using Kind = syntax::TokenKind;

std::optional<std::string> formatted(std::string text) {
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz.tf", std::move(text));
  auto result = syntax::format_source(sources, id, diags);
  TOFU_CHECK(result.has_value() != diags.has_errors(), "there is a result or an error");
  return result;
}

// Layout decides about blanks around a comment and before the end of a heredoc.
std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

struct Piece {
  Kind kind;
  std::string text;
  bool operator==(const Piece&) const = default;
};

void add(std::vector<Piece>& pieces, Kind kind, std::string_view text) {
  if (kind == Kind::Newline || kind == Kind::EndOfFile) return;
  const bool is_text = kind == Kind::QuotedText || kind == Kind::HeredocText;
  // The scanner cuts text at marks such as %, an edited label is in one piece.
  if (is_text && !pieces.empty() && pieces.back().kind == kind) {
    pieces.back().text += text;
    return;
  }
  pieces.push_back({kind, std::string(is_text ? text : trimmed(text))});
}

// The tokens of the text after the few edits that are not layout (format_edit.h).
std::vector<Piece> edited(const std::string& text) {
  tofu::diag::SourceMap sources;
  tofu::diag::Diagnostics diags;
  const auto id = sources.add("fuzz.tf", text);
  const auto file = syntax::parse_file(sources, id, diags);
  std::deque<std::string> new_texts;
  const std::vector<syntax::Token> tokens = syntax::scan(text, syntax::ScanMode::Normal);
  std::vector<Piece> pieces;
  for (const syntax::Piece& each : syntax::edited_pieces(*file, text, tokens, new_texts)) {
    add(pieces, each.kind, each.text);
  }
  return pieces;
}

std::vector<Piece> scanned(const std::string& text) {
  std::vector<Piece> pieces;
  for (const syntax::Token& token : syntax::scan(text, syntax::ScanMode::Normal)) {
    add(pieces, token.kind, token.text(text));
  }
  return pieces;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::optional<std::string> once = formatted(text);
  if (!once) return 0;
  TOFU_CHECK(edited(text) == scanned(*once), "layout keeps the tokens");
  const std::optional<std::string> twice = formatted(*once);
  TOFU_CHECK(twice && *twice == *once, "formatting twice is formatting once");
  return 0;
}
