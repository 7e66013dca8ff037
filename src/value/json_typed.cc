#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "base/counted.h"
#include "base/unicode.h"
#include "value/assemble.h"
#include "value/convert.h"
#include "value/failure.h"
#include "value/json.h"
#include "value/json_scanner.h"

namespace tofu::value {
namespace {

// Reads text that should hold a value of a given type. Recursion follows the
// type; a part of type `any` brings its type along, so those are limited.
class TypedReader {
 public:
  explicit TypedReader(std::string_view text) : text_(text), scanner_(text) {}

  PathResult<Value> read_all(Type type) {
    auto result = read(type);
    if (result && scanner_.peek() != JsonScanner::kEnd) {
      scanner_.fail_unexpected("the end of the text");
      result = broken();
    }
    if (result) return *std::move(result);
    return failure_.take();
  }

 private:
  using Outcome = std::optional<Value>;

  static constexpr int kMaxTypesInside = 64;

  std::nullopt_t broken() { return failure_.because(scanner_.error().what); }

  Outcome read(Type type) {
    if (scanner_.peek() == 'n') {
      return scanner_.literal("null") ? Outcome(Value::null(type)) : broken();
    }
    if (depth_ > static_cast<int>(kMaxTypeNesting)) {
      return failure_.because("the value is nested too deeply");
    }
    ++depth_;
    Outcome result = read_known(type);
    --depth_;
    return result;
  }

  Outcome read_known(Type type) {
    switch (type.kind()) {
      case TypeKind::Dynamic: return read_dynamic();
      case TypeKind::Bool:
      case TypeKind::Number:
      case TypeKind::String: return read_primitive(type);
      case TypeKind::List:
      case TypeKind::Set: return read_sequence(type);
      case TypeKind::Tuple: return read_tuple(type);
      case TypeKind::Map: return read_map(type);
      case TypeKind::Object: return read_object(type);
      case TypeKind::Capsule:
        return failure_.because(fmt::format("{} cannot be read from JSON", friendly_name(type)));
    }
    return failure_.because("the type is not known");
  }

  Outcome read_primitive(Type type) {
    switch (scanner_.peek()) {
      case '"': {
        const auto text = scanner_.string();
        if (!text) return broken();
        auto converted = convert(Value::string(*text), type);
        if (!converted) return failure_.because(converted.error().what);
        return std::move(converted).value();
      }
      case 't':
      case 'f': {
        const bool truth = scanner_.peek() == 't';
        if (!scanner_.literal(truth ? "true" : "false")) return broken();
        if (type == Type::number()) return failure_.because("a number is required");
        return type == Type::boolean() ? Value::boolean(truth)
                                       : Value::string(truth ? "true" : "false");
      }
      case '{':
      case '[': return failure_.because(fmt::format("a {} is required", friendly_name(type)));
      default: return read_number(type);
    }
  }

  Outcome read_number(Type type) {
    const auto text = scanner_.number();
    if (!text) return broken();
    if (type == Type::boolean()) return failure_.because("a bool is required");
    if (type == Type::string()) return Value::string(*text);  // its digits as they stand
    auto number = Number::parse(*text);
    if (!number) return failure_.because("a number is required");
    return Value::number(*std::move(number));
  }

  bool open(char bracket, Type type) {
    if (scanner_.peek() != bracket) {
      if (scanner_.peek() == JsonScanner::kEnd) {
        scanner_.fail_unexpected("a value");
        broken();
      } else {
        failure_.because(fmt::format("{} is required", friendly_name(type)));
      }
      return false;
    }
    return scanner_.expect(bracket);
  }

  Outcome read_sequence(Type type) {
    if (!open('[', type)) return std::nullopt;
    std::vector<Value> items;
    for (;;) {
      const auto more = scanner_.more(']', items.empty());
      if (!more) return broken();
      if (!*more) break;
      Outcome item = read(type.element());
      if (!item) return failure_.at_position(items.size());
      items.push_back(*std::move(item));
    }
    const auto element = items.empty() ? type.element() : settle_types(items);
    if (!element) return failure_.because("the elements must all have one type");
    return type.kind() == TypeKind::Set ? Value::set(*element, std::move(items))
                                        : Value::list(*element, std::move(items));
  }

  Outcome read_tuple(Type type) {
    if (!open('[', type)) return std::nullopt;
    const auto wanted = type.elements();
    std::vector<Value> items;
    items.reserve(wanted.size());
    for (;;) {
      const auto more = scanner_.more(']', items.empty());
      if (!more) return broken();
      if (!*more) break;
      if (items.size() == wanted.size()) {
        return failure_.because("the tuple has more than " +
                                base::counted(wanted.size(), "element"));
      }
      Outcome item = read(wanted[items.size()]);
      if (!item) return failure_.at_position(items.size());
      items.push_back(*std::move(item));
    }
    if (items.size() < wanted.size()) {
      return failure_.because("the tuple has fewer than " +
                              base::counted(wanted.size(), "element"));
    }
    return Value::tuple(std::move(items));
  }

  Outcome read_map(Type type) {
    if (!open('{', type)) return std::nullopt;
    std::vector<std::string> keys;
    std::vector<Value> items;
    for (;;) {
      const auto more = scanner_.more('}', items.empty());
      if (!more) return broken();
      if (!*more) break;
      const auto key = scanner_.member_name();
      if (!key) return broken();
      keys.emplace_back(*key);
      Outcome item = read(type.element());
      if (!item) return failure_.at_key(Value::string(keys.back()));
      items.push_back(*std::move(item));
    }
    const auto element = items.empty() ? type.element() : settle_types(items);
    if (!element) return failure_.because("the elements must all have one type");
    std::vector<MapEntry> entries;
    entries.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
      entries.push_back({std::move(keys[i]), std::move(items[i])});
    }
    return Value::map(*element, std::move(entries));
  }

  Outcome read_object(Type type) {
    if (!open('{', type)) return std::nullopt;
    const auto attributes = type.attributes();
    std::vector<Value> items;
    items.reserve(attributes.size());
    for (const ObjectAttribute& attribute : attributes)
      items.push_back(Value::null(attribute.type));
    for (bool first = true;; first = false) {
      const auto more = scanner_.more('}', first);
      if (!more) return broken();
      if (!*more) break;
      const auto name = scanner_.member_name();
      if (!name) return broken();
      const auto index = type.attribute_index(*name);
      if (!index)
        return failure_.because(fmt::format("no attribute {} is expected", base::quote_go(*name)));
      Outcome item = read(attributes[*index].type);
      if (!item) return failure_.in_attribute(attributes[*index].name);
      items[*index] = *std::move(item);
    }
    return object_of(type, std::move(items));
  }

  // {"value":…,"type":…} in any order: the value is passed over until its type
  // is known.
  Outcome read_dynamic() {
    if (++types_inside_ > kMaxTypesInside) {
      return failure_.because(
          fmt::format("values with their types are nested more than {} deep", kMaxTypesInside));
    }
    if (scanner_.peek() != '{')
      return failure_.because("an object with a value and its type is required");
    scanner_.expect('{');
    std::optional<Type> type;
    std::optional<std::size_t> value_at;
    for (bool first = true;; first = false) {
      const auto more = scanner_.more('}', first);
      if (!more) return broken();
      if (!*more) break;
      const auto name = scanner_.member_name();
      if (!name) return broken();
      const bool is_type = *name == "type";
      if (!is_type && *name != "value") {
        return failure_.because(
            fmt::format("unexpected member {} beside a value and its type", base::quote_go(*name)));
      }
      scanner_.peek();
      const std::size_t start = scanner_.offset();
      if (!scanner_.skip_value()) return broken();
      if (is_type) {
        auto parsed = parse_json_type(text_.substr(start, scanner_.offset() - start));
        if (!parsed) return failure_.because(parsed.error().what);
        type = parsed->without_optional_attributes();
      } else {
        value_at = start;
      }
    }
    if (!type) return failure_.because("a value of any type lacks its type");
    if (!value_at) return failure_.because("a value of any type lacks its value");
    const std::size_t behind = scanner_.offset();
    scanner_.seek(*value_at);
    Outcome result = read(*type);
    scanner_.seek(behind);
    --types_inside_;
    return result;
  }

  std::string_view text_;
  JsonScanner scanner_;
  Failure failure_;
  int types_inside_ = 0;
  int depth_ = 0;
};

}  // namespace

PathResult<Value> parse_json(std::string_view text, Type type) {
  return TypedReader(text).read_all(type.without_optional_attributes());
}

}  // namespace tofu::value
