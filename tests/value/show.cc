#include "tests/value/show.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vector>

#include "base/unicode.h"
#include "value/json.h"

namespace tofu::value {
namespace {

std::string show_unknown(const Value& v) {
  const Refinements& known = v.plain().refinements();
  std::string text = "unknown(" + show(v.type());
  if (known.not_null) text += ", not null";
  if (!known.prefix.empty()) text += ", prefix " + base::quote_go(known.prefix);
  if (known.lower) {
    text +=
        fmt::format(", {} {}", known.lower->inclusive ? ">=" : ">", known.lower->limit.to_string());
  }
  if (known.upper) {
    text +=
        fmt::format(", {} {}", known.upper->inclusive ? "<=" : "<", known.upper->limit.to_string());
  }
  if (known.length_min != 0 || known.length_max) {
    text += fmt::format(", length {}..{}", known.length_min,
                        known.length_max ? std::to_string(*known.length_max) : "");
  }
  return text + ")";
}

std::string show_marked(const Value& v) {
  std::string text = show(v.unmarked());
  if (v.marks().is_sensitive()) text = "sensitive(" + text + ")";
  if (v.marks().is_ephemeral()) text = "ephemeral(" + text + ")";
  if (!v.marks().deprecations().empty()) text = "deprecated(" + text + ")";
  return text;
}

std::string show_items(const Value& v) {
  std::vector<std::string> parts;
  for (const Value& item : v.plain().items()) parts.push_back(show(item));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string show_members(const Value& v) {
  std::vector<std::string> parts;
  for_each_element(v.plain(), [&](const Value& key, const Value& item) {
    parts.push_back(fmt::format("{}={}", key.plain().as_string(), show(item)));
  });
  return fmt::format("{{{}}}", fmt::join(parts, ", "));
}

}  // namespace

std::string show(Type type) {
  std::vector<std::string> parts;
  switch (type.kind()) {
    case TypeKind::Dynamic: return "any";
    case TypeKind::Bool: return "bool";
    case TypeKind::Number: return "number";
    case TypeKind::String: return "string";
    case TypeKind::List: return fmt::format("list({})", show(type.element()));
    case TypeKind::Set: return fmt::format("set({})", show(type.element()));
    case TypeKind::Map: return fmt::format("map({})", show(type.element()));
    case TypeKind::Capsule: return std::string(type.capsule_name());
    case TypeKind::Tuple:
      for (const Type element : type.elements()) parts.push_back(show(element));
      return fmt::format("[{}]", fmt::join(parts, ", "));
    case TypeKind::Object:
      for (const ObjectAttribute& attribute : type.attributes()) {
        parts.push_back(fmt::format("{}{}={}", attribute.name, attribute.optional ? "?" : "",
                                    show(attribute.type)));
      }
      return fmt::format("{{{}}}", fmt::join(parts, ", "));
  }
  return "?";
}

std::string show(const Value& v) {
  switch (v.kind()) {
    case Kind::Null: return "null(" + show(v.type()) + ")";
    case Kind::Unknown: return show_unknown(v);
    case Kind::Marked: return show_marked(v);
    case Kind::Bool: return v.plain().as_bool() ? "true" : "false";
    case Kind::Number: return v.plain().as_number().to_string();
    case Kind::String: return base::quote_go(v.plain().as_string());
    case Kind::List:
    case Kind::Set: return show(v.type()) + show_items(v);
    case Kind::Tuple: return show_items(v);
    case Kind::Map: return show(v.type()) + show_members(v);
    case Kind::Object: return show_members(v);
    case Kind::Capsule: return std::string(v.type().capsule_name());
  }
  return "?";
}

Type type_of(std::string_view json) {
  const auto type = parse_json_type(json);
  TOFU_CHECK(type.ok(), "the types of tests are well written");
  return *type;
}

}  // namespace tofu::value
