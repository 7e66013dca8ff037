// The parser of JSON syntax: text to the same expressions that native syntax has.
//
// An object becomes an ObjectExpr with JsonStringExpr keys, an array a TupleExpr, a string a
// JsonStringExpr with its template already parsed. The schema distinguishes blocks from attributes
// when a Body is read.
//
// Recovery is that of OpenTofu, so that the same errors are reported at the same places. Private to
// this component; they call syntax/parser.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/ast.h"
#include "syntax/parser.h"

namespace tofu::syntax {

enum class JsonTokenKind : std::uint8_t {
  OpenBrace,
  CloseBrace,
  OpenBracket,
  CloseBracket,
  Comma,
  Colon,
  Equals,  // only for a better message
  Keyword,
  String,
  Number,
  Invalid,
  EndOfFile,
};

struct JsonToken {
  JsonTokenKind kind;
  std::uint32_t begin;
  std::uint32_t end;

  std::string_view text(std::string_view source) const { return source.substr(begin, end - begin); }
};

// All tokens up to the first byte that can be in none, ending with EndOfFile.
// Keywords, strings and numbers are read generously and judged by the parser.
std::vector<JsonToken> scan_json(std::string_view source);

class JsonParser {
 public:
  JsonParser(File& file, std::string_view text, diag::Diagnostics& diags);

  // The root of a file: an Object or Tuple, an empty one if there was none.
  const Expr* whole_file();

 private:
  const JsonToken& peek() const { return tokens_[next_]; }
  const JsonToken& read() {
    const JsonToken& token = tokens_[next_];
    if (token.kind != JsonTokenKind::EndOfFile) ++next_;
    return token;
  }
  diag::SourceRange range(const JsonToken& token) const {
    return {file_.id, token.begin, token.end};
  }
  void recover(JsonTokenKind open, JsonTokenKind close);
  void error(std::string summary, std::string detail, diag::SourceRange at);

  const Expr* value();
  const Expr* object();
  bool property(const JsonToken& open);
  bool property_end(const JsonToken& open);
  void missing_colon(const JsonToken& token);
  const Expr* array();
  bool array_item(const JsonToken& open);
  const Expr* number();
  const Expr* keyword();
  const Expr* string();
  const Expr* string_expr(std::string_view text, diag::SourceRange at);
  const Expr* template_in(JsonStringExpr& string);
  const Expr* too_deep(const JsonToken& token);
  void not_closed(std::string_view summary, std::string_view detail, const JsonToken& open);
  const Expr* invalid(const JsonToken& token);

  template <class Node, class... Fields>
  Node* node(diag::SourceRange at, Fields&&... fields) {
    return file_.arena.make<Node>(Expr{Node::kKind, true, at}, std::forward<Fields>(fields)...);
  }
  const value::Value* keep(value::Value constant) {
    return file_.constants.keep(std::move(constant));
  }

  File& file_;
  std::string_view source_;
  diag::Diagnostics& diags_;
  std::vector<JsonToken> tokens_;
  std::size_t next_ = 0;
  int depth_ = 0;
  int unclosed_ = 0;      // reports of those
  bool gave_up_ = false;  // on the rest of the file

  // Lists being built, shared by all levels.
  std::vector<const Expr*> exprs_;
  std::vector<ObjectItem> items_;
};

}  // namespace tofu::syntax
