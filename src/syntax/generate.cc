#include "syntax/generate.h"

#include <cstdio>

#include "base/check.h"
#include "base/unicode.h"
#include "diag/diagnostic.h"
#include "diag/source.h"
#include "syntax/format.h"

namespace tofu::syntax {

namespace {

using value::Kind;
using value::Value;

void append_escape(std::string& out, char32_t code) {
  char escape[12];
  std::snprintf(escape, sizeof escape, code < 0x10000 ? "\\u%04x" : "\\U%08x",
                static_cast<unsigned>(code));
  out += escape;
}

void append_key(std::string& out, std::string_view key) {
  if (base::is_identifier(key)) {
    out += key;
  } else {
    out += '"';
    out += escaped_text(key);
    out += '"';
  }
}

// Layout is the formatter's affair; only line breaks matter here.
void append_value(std::string& out, const Value& v) {
  switch (v.kind()) {
    case Kind::Null: out += "null"; return;
    case Kind::Bool: out += v.plain().as_bool() ? "true" : "false"; return;
    case Kind::Number: out += v.plain().as_number().to_string(); return;
    case Kind::String:
      out += '"';
      out += escaped_text(v.plain().as_string());
      out += '"';
      return;
    case Kind::List:
    case Kind::Set:
    case Kind::Tuple:
      out += '[';
      for (const Value& item : v.plain().items()) {
        if (&item != v.plain().items().data()) out += ", ";
        append_value(out, item);
      }
      out += ']';
      return;
    case Kind::Map:
    case Kind::Object:
      out += '{';
      if (v.plain().size() > 0) out += '\n';
      value::for_each_element(v.plain(), [&](const Value& key, const Value& item) {
        append_key(out, key.plain().as_string());
        out += " = ";
        append_value(out, item);
        out += '\n';
      });
      out += '}';
      return;
    case Kind::Marked: return append_value(out, v.unmarked());
    case Kind::Unknown:
    case Kind::Capsule: break;
  }
  base::broken_promise("only known values of the language are written as source");
}

std::string laid_out(std::string text) {
  diag::SourceMap sources;
  diag::Diagnostics diags;
  const diag::FileId id = sources.add("generated", std::move(text));
  auto formatted = format_source(sources, id, diags);
  TOFU_CHECK(formatted.has_value(), "generated source text parses");
  return std::move(*formatted);
}

}  // namespace

std::string escaped_text(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const base::Decoded decoded = base::decode_utf8(text.substr(i));
    const std::string_view bytes = text.substr(i, decoded.length);
    i += decoded.length;
    if (bytes == "\n") {
      out += "\\n";
    } else if (bytes == "\r") {
      out += "\\r";
    } else if (bytes == "\t") {
      out += "\\t";
    } else if (bytes == "\"") {
      out += "\\\"";
    } else if (bytes == "\\") {
      out += "\\\\";
    } else if ((bytes == "$" || bytes == "%") && text.substr(i).starts_with('{')) {
      out += bytes;
      out += bytes;
    } else if (!base::is_printable(decoded.code)) {
      append_escape(out, decoded.code);
    } else {
      out += bytes;
    }
  }
  return out;
}

std::string expression_text(const Value& v) {
  // The formatter wants whole attributes.
  constexpr std::string_view kName = "x = ";
  std::string text(kName);
  append_value(text, v);
  return laid_out(std::move(text)).substr(kName.size());
}

std::string attributes_text(const Value& object) {
  std::string text;
  value::for_each_element(object.plain(), [&](const Value& name, const Value& item) {
    text += name.plain().as_string();
    text += " = ";
    append_value(text, item);
    text += '\n';
  });
  return laid_out(std::move(text));
}

}  // namespace tofu::syntax
