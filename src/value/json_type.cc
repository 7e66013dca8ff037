#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "base/check.h"
#include "base/json_text.h"
#include "base/unicode.h"
#include "value/json.h"
#include "value/json_scanner.h"

namespace tofu::value {
namespace {

void append_type(std::string& out, Type type);

void append_element(std::string& out, std::string_view kind, Type element) {
  out += "[\"";
  out += kind;
  out += "\",";
  append_type(out, element);
  out += ']';
}

void append_object(std::string& out, Type type) {
  out += "[\"object\",{";
  std::string optional;
  bool first = true;
  for (const ObjectAttribute& attribute : type.attributes()) {
    if (!std::exchange(first, false)) out += ',';
    base::append_json_string(out, attribute.name);
    out += ':';
    append_type(out, attribute.type);
    if (attribute.optional) {
      optional += optional.empty() ? ",[" : ",";
      base::append_json_string(optional, attribute.name);
    }
  }
  out += '}';
  if (!optional.empty()) out += optional + ']';
  out += ']';
}

void append_type(std::string& out, Type type) {
  switch (type.kind()) {
    case TypeKind::Dynamic: out += "\"dynamic\""; return;
    case TypeKind::Bool: out += "\"bool\""; return;
    case TypeKind::Number: out += "\"number\""; return;
    case TypeKind::String: out += "\"string\""; return;
    case TypeKind::List: return append_element(out, "list", type.element());
    case TypeKind::Set: return append_element(out, "set", type.element());
    case TypeKind::Map: return append_element(out, "map", type.element());
    case TypeKind::Tuple: {
      out += "[\"tuple\",[";
      bool first = true;
      for (const Type element : type.elements()) {
        if (!std::exchange(first, false)) out += ',';
        append_type(out, element);
      }
      out += "]]";
      return;
    }
    case TypeKind::Object: return append_object(out, type);
    case TypeKind::Capsule: base::broken_promise("capsule types are never written down");
  }
}

class TypeReader {
 public:
  explicit TypeReader(std::string_view text) : scanner_(text) {}

  base::Result<Type> read_all() {
    const auto type = read();
    if (type && scanner_.peek() != JsonScanner::kEnd) {
      scanner_.fail_unexpected("the end of the type");
      return scanner_.error();
    }
    if (!type) return scanner_.error();
    return *type;
  }

 private:
  std::nullopt_t fail(std::string_view what) {
    scanner_.fail(what);
    return std::nullopt;
  }

  std::optional<Type> read() {
    if (depth_ > static_cast<int>(kMaxTypeNesting)) return fail("the type is nested too deeply");
    const int first = scanner_.peek();
    if (first == '[') {
      ++depth_;
      const auto type = read_complex();
      --depth_;
      return type;
    }
    if (first != '"') return fail("a type is a string or an array");
    const auto name = scanner_.string();
    if (!name) return std::nullopt;
    if (*name == "string") return Type::string();
    if (*name == "number") return Type::number();
    if (*name == "bool") return Type::boolean();
    if (*name == "dynamic") return Type::dynamic();
    return fail(fmt::format("the type {} does not exist", base::quote_go(*name)));
  }

  std::optional<Type> read_complex() {
    scanner_.expect('[');
    const auto name = scanner_.string();
    if (!name) return std::nullopt;
    const std::string kind(*name);
    if (!scanner_.expect(',')) return std::nullopt;

    std::optional<Type> type;
    if (kind == "list" || kind == "set" || kind == "map") {
      const auto element = read();
      if (!element) return std::nullopt;
      type = kind == "list"  ? Type::list(*element)
             : kind == "set" ? Type::set(*element)
                             : Type::map(*element);
    } else if (kind == "tuple") {
      type = read_tuple();
    } else if (kind == "object") {
      type = read_object();
    } else {
      return fail(fmt::format("the type {} does not exist", base::quote_go(kind)));
    }
    if (!type || !scanner_.expect(']')) return std::nullopt;
    return type;
  }

  // Go writes a list that was never filled as null.
  bool at_null() { return scanner_.peek() == 'n' && scanner_.literal("null"); }

  std::optional<Type> read_tuple() {
    if (at_null()) return Type::tuple({});
    if (!scanner_.expect('[')) return std::nullopt;
    std::vector<Type> elements;
    for (;;) {
      const auto more = scanner_.more(']', elements.empty());
      if (!more) return std::nullopt;
      if (!*more) return Type::tuple(elements);
      const auto element = read();
      if (!element) return std::nullopt;
      elements.push_back(*element);
    }
  }

  struct Attribute {
    Type type;
    bool optional = false;
  };
  using Attributes = std::map<std::string, Attribute, std::less<>>;

  std::optional<Type> read_object() {
    if (at_null()) return Type::object({});
    if (!scanner_.expect('{')) return std::nullopt;
    Attributes attributes;
    for (bool first = true;; first = false) {
      const auto more = scanner_.more('}', first);
      if (!more) return std::nullopt;
      if (!*more) break;
      const auto name = scanner_.member_name();
      if (!name) return std::nullopt;
      const std::string key = base::to_nfc(*name);
      const auto type = read();
      if (!type) return std::nullopt;
      attributes[key] = {*type};
    }
    if (scanner_.peek() == ',' && !read_optional(attributes)) return std::nullopt;
    std::vector<ObjectAttribute> list;
    list.reserve(attributes.size());
    for (const auto& [name, attribute] : attributes) {
      list.push_back({name, attribute.type, attribute.optional});
    }
    return Type::object(std::move(list));
  }

  bool read_optional(Attributes& attributes) {
    scanner_.expect(',');
    if (!scanner_.expect('[')) return false;
    for (bool first = true;; first = false) {
      const auto more = scanner_.more(']', first);
      if (!more) return false;
      if (!*more) return true;
      const auto name = scanner_.string();
      if (!name) return false;
      const auto found = attributes.find(base::to_nfc(*name));
      if (found == attributes.end()) {
        return scanner_.fail(
            fmt::format("the optional attribute {} is not declared", base::quote_go(*name)));
      }
      found->second.optional = true;
    }
  }

  JsonScanner scanner_;
  int depth_ = 0;
};

}  // namespace

std::string type_to_json(Type type) {
  std::string out;
  append_type(out, type);
  return out;
}

base::Result<Type> parse_json_type(std::string_view text) { return TypeReader(text).read_all(); }

}  // namespace tofu::value
