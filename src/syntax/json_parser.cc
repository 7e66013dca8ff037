#include "syntax/json_parser.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "base/ascii.h"
#include "base/suggest.h"
#include "syntax/analysis.h"
#include "syntax/binary_file.h"
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
  const diag::SourceRange start{file_.id, 0, 0};
  const auto empty = [&] { return node<ObjectExpr>(start, std::span<const ObjectItem>(), start); };
  const bool has_invalid = std::ranges::any_of(
      tokens_, [](const JsonToken& token) { return token.kind == JsonTokenKind::Invalid; });
  const diag::SourceRange whole{file_.id, 0, static_cast<std::uint32_t>(source_.size())};
  if (has_invalid && !check_is_text(source_, whole, diags_)) return empty();
  const std::size_t before = diags_.size();
  const Expr* root = value();
  if (diags_.size() == before && peek().kind != JsonTokenKind::EndOfFile) {
    error("Extraneous data after value",
          "Expected the end of the file after the JSON value. Remove the rest.", range(peek()));
  }
  if (root->kind == ExprKind::Object || root->kind == ExprKind::Tuple) return root;
  error("Root value must be object",
        "A JSON configuration must be an object or an array of objects.", start_range(*root));
  return empty();
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
      "Expected a JSON value: an object, array, string, number, true, false or null.";
  const JsonToken& token = peek();
  switch (token.kind) {
    case JsonTokenKind::OpenBrace: return object();
    case JsonTokenKind::OpenBracket: return array();
    case JsonTokenKind::Number: return number();
    case JsonTokenKind::String: return string();
    case JsonTokenKind::Keyword: return keyword();
    case JsonTokenKind::EndOfFile:
      error("Missing JSON value", "Expected a JSON value, but reached the end of the file.",
            range(token));
      return invalid(token);
    case JsonTokenKind::CloseBrace:
    case JsonTokenKind::CloseBracket:
    case JsonTokenKind::Comma:
    case JsonTokenKind::Colon:
    case JsonTokenKind::Equals:
    case JsonTokenKind::Invalid:
      error("Invalid start of value", std::string(kForms), range(token));
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
    error("Invalid object property name", "A property name must be a string in double quotes.",
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
  error(no_value ? "Missing property value" : "Missing property value colon",
        token.kind == JsonTokenKind::Equals
            ? "JSON uses a colon between name and value, not an equals sign."
            : "Expected a colon and a value after the property name.",
        range(token));
}

bool JsonParser::property_end(const JsonToken& open) {
  const JsonToken next = peek();
  if (next.kind == JsonTokenKind::CloseBrace) return true;
  if (next.kind == JsonTokenKind::Comma) {
    read();
    if (peek().kind != JsonTokenKind::CloseBrace) return true;
    error("Trailing comma in object",
          "JSON does not allow a comma after the last property. Remove it.", range(next));
    return false;
  }
  if (next.kind == JsonTokenKind::EndOfFile) {
    not_closed("Unclosed object", "Missing closing brace of this object.", open);
    return false;
  }
  if (next.kind == JsonTokenKind::CloseBracket) {
    read();
    error("Mismatched braces", "Close the object with a brace, not a bracket.", range(peek()));
    return false;
  }
  recover(JsonTokenKind::OpenBrace, JsonTokenKind::CloseBrace);
  error("Missing attribute separator", "Expected a comma between object properties.",
        range(peek()));
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
    error("Trailing comma in array", "JSON does not allow a comma after the last item. Remove it.",
          range(next));
    return false;
  }
  recover(JsonTokenKind::OpenBracket, JsonTokenKind::CloseBracket);
  if (next.kind == JsonTokenKind::EndOfFile) {
    not_closed("Unclosed array", "Missing closing bracket of this array.", open);
  } else if (next.kind == JsonTokenKind::Colon) {
    error("Invalid array value", "Array items have no names. Use braces to write an object.",
          range(peek()));
  } else if (next.kind == JsonTokenKind::CloseBrace) {
    error("Mismatched brackets", "Close the array with a bracket, not a brace.", range(peek()));
  } else {
    error("Missing item separator", "Expected a comma between array items.", range(peek()));
  }
  return false;
}

// A file that ends too early can leave hundreds of them open.
void JsonParser::not_closed(std::string_view summary, std::string_view detail,
                            const JsonToken& open) {
  constexpr int kMaxUnclosed = 10;
  if (!gave_up_ && ++unclosed_ <= kMaxUnclosed) {
    error(std::string(summary), std::string(detail), range(open));
  }
}

// Reports and gives up on the rest of the file.
const Expr* JsonParser::too_deep(const JsonToken& token) {
  --depth_;
  gave_up_ = true;
  error("Nesting too deep",
        fmt::format("Objects and arrays can be nested at most {} levels deep.", kMaxNesting),
        range(token));
  next_ = tokens_.size() - 1;
  return invalid(token);
}

const Expr* JsonParser::number() {
  const JsonToken token = read();
  const std::string_view text = token.text(source_);
  const auto parsed = is_json_number(text) ? value::Number::parse(text) : std::nullopt;
  if (!parsed) {
    error("Invalid JSON number", fmt::format("\"{}\" is not a valid JSON number.", text),
          range(token));
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
  error("Invalid JSON keyword",
        fmt::format("Expected true, false or null, found {}.{}", word,
                    near.empty() ? "" : fmt::format(" Did you mean {}?", near)),
        at);
  return invalid(token);
}

}  // namespace tofu::syntax
