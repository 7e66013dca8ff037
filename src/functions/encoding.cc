#include <fmt/format.h>

#include "base/ascii.h"
#include "base/base64.h"
#include "base/gzip.h"
#include "base/hex.h"
#include "base/unicode.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "functions/families.h"
#include "value/json.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::Arguments;
using syntax::CallResult;
using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

CallResult<Value> base64encode(Arguments args, Type) {
  return Value::string(base::base64_encode(args[0].plain().as_string()));
}

CallResult<Value> base64decode(Arguments args, Type) {
  const auto text = args[0].unmarked();
  const value::Marks marks = args[0].marks();
  const auto decoded = base::base64_decode(text.as_string());
  if (!decoded) {
    return call_error(fmt::format("{} is not Base64: see the character at offset {}",
                                  shown(text.as_string(), marks), decoded.error().offset));
  }
  if (!base::is_valid_utf8(*decoded)) {
    return call_error("the decoded bytes are not text in UTF-8");
  }
  return Value::string(*decoded).with_marks(marks);
}

CallResult<Value> base64gzip(Arguments args, Type) {
  const auto compressed = base::gzip(args[0].plain().as_string());
  if (!compressed) return call_error("cannot compress: " + compressed.error().what);
  return Value::string(base::base64_encode(*compressed));
}

CallResult<Value> base64gunzip(Arguments args, Type) {
  const auto text = args[0].unmarked();
  const value::Marks marks = args[0].marks();
  const auto decoded = base::base64_decode(text.as_string());
  if (!decoded) {
    return call_error(fmt::format("{} is not Base64: see the character at offset {}",
                                  shown(text.as_string(), marks), decoded.error().offset));
  }
  const auto content = base::gunzip(*decoded, value::kMaxTextSize);
  if (!content) return call_error("cannot decompress: " + content.error().what);
  return Value::string(*content).with_marks(marks);
}

bool stays_in_url(char c) {
  return base::is_ascii_alphanumeric(c) || c == '-' || c == '_' || c == '.' || c == '~';
}

CallResult<Value> urlencode(Arguments args, Type) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (const char c : args[0].plain().as_string()) {
    if (stays_in_url(c)) {
      out += c;
    } else if (c == ' ') {
      out += '+';
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return Value::string(out);
}

// The result need not be valid UTF-8; OpenTofu lets such strings pass too.
CallResult<Value> urldecode(Arguments args, Type) {
  const std::string_view text = args[0].plain().as_string();
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out += ' ';
    } else if (text[i] != '%') {
      out += text[i];
    } else {
      const int high = i + 1 < text.size() ? base::hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? base::hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) {
        return call_error(fmt::format(
            "the percent sign at offset {} is not followed by two hexadecimal digits", i));
      }
      out += static_cast<char>(high << 4 | low);
      i += 2;
    }
  }
  return Value::string(out);
}

// The first character of the JSON text is known as soon as the type is, unless
// the value may still turn out to be null.
Value unknown_json(const Value& v) {
  Value result = Value::unknown(Type::string());
  if (v.is_unknown() && !v.plain().refinements().not_null) return result;
  value::Refinements known;
  switch (v.type().kind()) {
    case TypeKind::String: known.prefix = "\""; break;
    case TypeKind::Object:
    case TypeKind::Map: known.prefix = "{"; break;
    case TypeKind::Tuple:
    case TypeKind::List:
    case TypeKind::Set: known.prefix = "["; break;
    case TypeKind::Dynamic:
    case TypeKind::Bool:
    case TypeKind::Number:
    case TypeKind::Capsule: break;
  }
  return result.refined(known);
}

CallResult<Value> jsonencode(Arguments args, Type) {
  const Value& v = args[0];
  if (!v.wholly_known()) return unknown_json(v);
  auto text = value::to_json(v);
  if (!text) return call_error(value::to_string(text.error()));
  return Value::string(*text);
}

// The refinement for an unknown text with a known beginning. Known text is read once, by the body,
// so its type is left open here.
CallResult<Type> jsondecode_type(Arguments args) {
  if (args[0].is_known()) return Type::dynamic();
  std::string_view prefix = args[0].plain().refinements().prefix;
  while (!prefix.empty() && base::is_space(base::decode_utf8(prefix).code)) {
    prefix.remove_prefix(base::decode_utf8(prefix).length);
  }
  if (prefix.empty()) return Type::dynamic();
  switch (prefix.front()) {
    case '{':
    case '[':
    case 'n': return Type::dynamic();
    case '"': return Type::string();
    case 't':
    case 'f': return Type::boolean();
    default: break;
  }
  if (prefix.front() == '-' || prefix.front() == '.' || base::is_ascii_digit(prefix.front())) {
    return Type::number();
  }
  return syntax::argument_error(0, "no JSON text begins with the text that is known so far");
}

CallResult<Value> jsondecode(Arguments args, Type) {
  auto decoded = value::parse_json(args[0].plain().as_string());
  if (!decoded) return call_error(decoded.error().what);
  return *std::move(decoded);
}

}  // namespace

void add_encoding(List& list) {
  const Type text = Type::string();
  define(list, "base64encode", "Encodes the UTF-8 bytes of a string as Base64.")
      .takes("str", text)
      .gives(text)
      .as(base64encode);
  define(list, "base64decode", "Decodes a Base64 string. The decoded bytes must be text in UTF-8.")
      .takes("str", text, {.marked = true})
      .gives(text)
      .as(base64decode);
  define(list, "base64gzip",
         "Compresses the UTF-8 bytes of a string with gzip and encodes the result as Base64.")
      .takes("str", text)
      .gives(text)
      .as(base64gzip);
  define(list, "base64gunzip", "Decodes a Base64 string and decompresses the result with gzip.")
      .takes("str", text, {.marked = true})
      .gives(text)
      .as(base64gunzip);
  define(list, "urlencode",
         "Escapes a string for the query part of a URL. Spaces become plus signs.")
      .takes("str", text)
      .gives(text)
      .as(urlencode);
  define(list, "urldecode", "Undoes the escapes of a string from the query part of a URL.")
      .takes("str", text)
      .gives(text)
      .as(urldecode);
  define(list, "jsonencode", "Writes a value as compact JSON text.")
      .takes("val", Type::dynamic(), {.null = true, .unknown = true, .dynamic = true})
      .gives(text)
      .as(jsonencode);
  define(list, "jsondecode",
         "Reads JSON text. Arrays become tuples and objects become objects, each with the types "
         "their contents have.")
      .takes("str", text)
      .gives(jsondecode_type)
      .may_give_null()
      .as(jsondecode);
  add_text_encoding(list);
}

}  // namespace tofu::functions
