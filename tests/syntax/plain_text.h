// Values as one line of text that shows everything: type where it is not plain,
// refinements, marks. For comparing in tests only.
//
//   1  "a"  true  null  null(string)  [1, "a"]  {a = 1}
//   list(string)["a"]  set(number)[1]  map(string){k = "v"}
//   unknown(number; not null; >= 1; < 7)  sensitive(…)  ephemeral(…)
#pragma once

#include <fmt/format.h>
#include <string>

#include "base/unicode.h"
#include "syntax/type_expr.h"
#include "value/value.h"

namespace tofu::syntax {

inline std::string plain_text(const value::Value& v);

inline std::string plain_items(const value::Value& v) {
  std::string out;
  value::for_each_element(v.plain(), [&](const value::Value& key, const value::Value& item) {
    if (!out.empty()) out += ", ";
    const bool named = v.kind() == value::Kind::Map || v.kind() == value::Kind::Object;
    if (named) out += std::string(key.plain().as_string()) + " = ";
    out += plain_text(item);
  });
  return out;
}

inline std::string plain_unknown(const value::Value& v) {
  std::string out = "unknown(" + type_expr_text(v.type());
  const value::Refinements& known = v.plain().refinements();
  if (known.not_null) out += "; not null";
  if (!known.prefix.empty()) out += "; prefix " + base::quote_go(known.prefix);
  if (known.lower) {
    out +=
        fmt::format("; >{} {}", known.lower->inclusive ? "=" : "", known.lower->limit.to_string());
  }
  if (known.upper) {
    out +=
        fmt::format("; <{} {}", known.upper->inclusive ? "=" : "", known.upper->limit.to_string());
  }
  if (known.length_min != 0) out += fmt::format("; length >= {}", known.length_min);
  if (known.length_max) out += fmt::format("; length <= {}", *known.length_max);
  return out + ")";
}

inline std::string plain_text(const value::Value& v) {
  using value::Kind;
  switch (v.kind()) {
    case Kind::Null:
      return v.type().is_dynamic() ? "null" : fmt::format("null({})", type_expr_text(v.type()));
    case Kind::Unknown: return plain_unknown(v);
    case Kind::Bool: return v.plain().as_bool() ? "true" : "false";
    case Kind::Number: return v.plain().as_number().to_string();
    case Kind::String: return base::quote_go(v.plain().as_string());
    case Kind::List:
    case Kind::Set: return fmt::format("{}[{}]", type_expr_text(v.type()), plain_items(v));
    case Kind::Map: return fmt::format("{}{{{}}}", type_expr_text(v.type()), plain_items(v));
    case Kind::Tuple: return fmt::format("[{}]", plain_items(v));
    case Kind::Object: return fmt::format("{{{}}}", plain_items(v));
    case Kind::Capsule: return fmt::format("capsule({})", v.type().capsule_name());
    case Kind::Marked: {
      std::string out = plain_text(v.unmarked());
      if (v.marks().is_sensitive()) out = fmt::format("sensitive({})", out);
      if (v.marks().is_ephemeral()) out = fmt::format("ephemeral({})", out);
      return out;
    }
  }
  return "?";
}

}  // namespace tofu::syntax
