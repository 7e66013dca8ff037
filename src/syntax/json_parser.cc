#include "syntax/json_parser.h"

#include <array>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "syntax/analysis.h"
#include "value/number.h"

namespace tofu::syntax {
namespace {

bool skip_digits(std::string_view text, std::size_t& at) {
  const std::size_t begin = at;
  while (at < text.size() && base::is_ascii_digit(text[at])) ++at;
  return at != begin;
}

// The grammar of JSON, which is stricter than that of value::Number.
bool is_json_number(std::string_view text) {
  std::size_t at = text.starts_with('-') ? 1 : 0;
  const std::size_t first = at;
  if (!skip_digits(text, at)) return false;
  if (text[first] == '0' && at - first > 1) return false;
  if (at < text.size() && text[at] == '.' && !skip_digits(text, ++at)) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    if (!skip_digits(text, at)) return false;
  }
  return at == text.size();
}

}  // namespace

JsonParser::JsonParser(File& file, std::string_view text, diag::Diagnostics& diags)
    : file_(file), source_(text), diags_(diags), tokens_(scan_json(text)) {}

const Expr* JsonParser::whole_file() {
  const std::size_t before = diags_.size();
  const Expr* root = value();
  if (diags_.size() == before && peek().kind != JsonTokenKind::EndOfFile) {
    error("Text after the JSON value", "The JSON value is complete before this. Remove the rest.",
          range(peek()));
  }
  if (root->kind == ExprKind::Object || root->kind == ExprKind::Tuple) return root;
  error("JSON object expected", "A configuration in JSON is an object, or an array of objects.",
        start_range(*root));
  const diag::SourceRange start{file_.id, 0, 0};
  return node<ObjectExpr>(start, std::span<const ObjectItem>(), start);
}

void JsonParser::error(std::string summary, std::string detail, diag::SourceRange at) {
  diags_.error(std::move(summary)).detail(std::move(detail)).at(at);
}

const Expr* JsonParser::invalid(const JsonToken& token) { return node<InvalidExpr>(range(token)); }

// Reads up to what seems to be the end of the object or array.
void JsonParser::recover(JsonTokenKind open, JsonTokenKind close) {
  // One pair inside is taken for the end, as OpenTofu does; it decides which
  // errors are reported after the first.
  for (int nested = 1;;) {
    const JsonTokenKind kind = read().kind;
    if (kind == JsonTokenKind::EndOfFile) return;
    if (kind == open) ++nested;
    if (kind == close && --nested <= 1) return;
  }
}

const Expr* JsonParser::value() {
  constexpr std::string_view kForms =
      "A JSON value is an object, an array, a string, a number, true, false or null.";
  const JsonToken& token = peek();
  switch (token.kind) {
    case JsonTokenKind::OpenBrace: return object();
    case JsonTokenKind::OpenBracket: return array();
    case JsonTokenKind::Number: return number();
    case JsonTokenKind::String: return string();
    case JsonTokenKind::Keyword: return keyword();
    case JsonTokenKind::EndOfFile:
      error("JSON value missing", "The text ends where a JSON value has to be.", range(token));
      return invalid(token);
    case JsonTokenKind::CloseBrace:
    case JsonTokenKind::CloseBracket:
    case JsonTokenKind::Comma:
    case JsonTokenKind::Colon:
    case JsonTokenKind::Equals:
    case JsonTokenKind::Invalid:
      error("JSON value expected", std::string(kForms), range(token));
      return invalid(token);
  }
  base::broken_promise("JSON token kind out of range");
}

const Expr* JsonParser::object() {
  const JsonToken open = read();
  if (++depth_ > kMaxNesting) return too_deep(open);
  const std::size_t first_item = items_.size();
  bool complete = true;
  while (complete && peek().kind != JsonTokenKind::CloseBrace) complete = property(open);
  --depth_;
  const auto items = file_.arena.copy(std::span(std::as_const(items_)).subspan(first_item));
  items_.resize(first_item);
  if (!complete) return invalid(open);
  const JsonToken close = read();
  return node<ObjectExpr>({file_.id, open.begin, close.end}, items, range(open));
}

// One property and the comma after it. False after an error that ends the object.
bool JsonParser::property(const JsonToken& open) {
  const Expr* key = value();
  if (key->kind != ExprKind::JsonString) {
    error("Property name expected", "The name of a property is a string in double quotes.",
          start_range(*key));
    return false;
  }
  const JsonToken colon = peek();
  if (colon.kind != JsonTokenKind::Colon) {
    recover(JsonTokenKind::OpenBrace, JsonTokenKind::CloseBrace);
    missing_colon(colon);
    return false;
  }
  read();
  items_.push_back({key, value()});
  return property_end(open);
}

void JsonParser::missing_colon(const JsonToken& token) {
  const bool no_value =
      token.kind == JsonTokenKind::CloseBrace || token.kind == JsonTokenKind::Comma;
  error(no_value ? "Property without a value" : "Colon missing",
        token.kind == JsonTokenKind::Equals
            ? "In JSON a colon stands between name and value, not an equals sign."
            : "A colon and a value have to follow the name of a property.",
        range(token));
}

bool JsonParser::property_end(const JsonToken& open) {
  const JsonToken next = peek();
  if (next.kind == JsonTokenKind::CloseBrace) return true;
  if (next.kind == JsonTokenKind::Comma) {
    read();
    if (peek().kind != JsonTokenKind::CloseBrace) return true;
    error("Comma after the last property", "JSON has no comma there. Remove it.", range(next));
    return false;
  }
  if (next.kind == JsonTokenKind::EndOfFile) {
    error("Object not closed", "The closing brace of this object is missing.", range(open));
    return false;
  }
  if (next.kind == JsonTokenKind::CloseBracket) {
    read();
    error("Bracket instead of a brace", "An object ends with a brace.", range(peek()));
    return false;
  }
  recover(JsonTokenKind::OpenBrace, JsonTokenKind::CloseBrace);
  error("Comma missing", "Commas have to separate the properties of an object.", range(peek()));
  return false;
}

const Expr* JsonParser::array() {
  const JsonToken open = read();
  if (++depth_ > kMaxNesting) return too_deep(open);
  const std::size_t first_item = exprs_.size();
  bool complete = true;
  while (complete && peek().kind != JsonTokenKind::CloseBracket) complete = array_item(open);
  --depth_;
  const auto items = file_.arena.copy(std::span(std::as_const(exprs_)).subspan(first_item));
  exprs_.resize(first_item);
  if (!complete) return invalid(open);
  const JsonToken close = read();
  return node<TupleExpr>({file_.id, open.begin, close.end}, items, range(open));
}

// One item and the comma after it. False after an error that ends the array.
bool JsonParser::array_item(const JsonToken& open) {
  exprs_.push_back(value());
  const JsonToken next = peek();
  if (next.kind == JsonTokenKind::CloseBracket) return true;
  if (next.kind == JsonTokenKind::Comma) {
    read();
    if (peek().kind != JsonTokenKind::CloseBracket) return true;
    error("Comma after the last item", "JSON has no comma there. Remove it.", range(next));
    return false;
  }
  recover(JsonTokenKind::OpenBracket, JsonTokenKind::CloseBracket);
  if (next.kind == JsonTokenKind::EndOfFile) {
    error("Array not closed", "The closing bracket of this array is missing.", range(open));
  } else if (next.kind == JsonTokenKind::Colon) {
    error("Colon in an array", "The items of an array have no names.", range(peek()));
  } else if (next.kind == JsonTokenKind::CloseBrace) {
    error("Brace instead of a bracket", "An array ends with a bracket.", range(peek()));
  } else {
    error("Comma missing", "Commas have to separate the items of an array.", range(peek()));
  }
  return false;
}

// Reports and gives up on the rest of the file.
const Expr* JsonParser::too_deep(const JsonToken& token) {
  --depth_;
  error("Nesting too deep",
        fmt::format("Objects and arrays may be nested {} levels deep, and this goes beyond.",
                    kMaxNesting),
        range(token));
  next_ = tokens_.size() - 1;
  return invalid(token);
}

const Expr* JsonParser::number() {
  const JsonToken token = read();
  const std::string_view text = token.text(source_);
  const auto parsed = is_json_number(text) ? value::Number::parse(text) : std::nullopt;
  if (!parsed) {
    error("Not a JSON number", fmt::format("\"{}\" is not a number in JSON.", text), range(token));
    return invalid(token);
  }
  return node<LiteralExpr>(range(token), keep(value::Value::number(*parsed)));
}

const Expr* JsonParser::keyword() {
  const JsonToken token = read();
  const std::string_view word = token.text(source_);
  const diag::SourceRange at = range(token);
  if (word == "true") return node<LiteralExpr>(at, keep(value::Value::boolean(true)));
  if (word == "false") return node<LiteralExpr>(at, keep(value::Value::boolean(false)));
  if (word == "null") return node<LiteralExpr>(at, keep(value::Value::null()));
  constexpr std::array<std::string_view, 3> kWords = {"false", "true", "null"};
  const std::string_view near = base::nearest_name(word, kWords);
  error("Unknown word in JSON",
        fmt::format("JSON knows the words true, false and null, but not {}.{}", word,
                    near.empty() ? "" : fmt::format(" Did you mean {}?", near)),
        at);
  return invalid(token);
}

}  // namespace tofu::syntax
