#include "providers/dropped_attributes.h"

#include <utility>
#include <vector>

#include "value/json.h"
#include "value/value.h"

namespace tofu::providers {

namespace {

using value::Kind;
using value::Type;
using value::TypeKind;
using value::Value;

// Goes as deep as the type does. JSON objects are objects here, arrays are tuples.
Value reduced(const Value& v, Type type) {
  const value::Plain& plain = v.unmarked();
  if (plain.kind() == Kind::Object) {
    const bool is_object = type.kind() == TypeKind::Object;
    if (!is_object && type.kind() != TypeKind::Map) return v;
    std::vector<value::Attr> kept;
    value::for_each_element(plain, [&](const Value& key, const Value& item) {
      const std::string name(key.unmarked().as_string());
      if (!is_object) {
        kept.push_back({name, reduced(item, type.element())});
        return;
      }
      const auto place = type.attribute_index(name);
      if (place) kept.push_back({name, reduced(item, type.attributes()[*place].type)});
    });
    return Value::object(std::move(kept));
  }
  if (plain.kind() != Kind::Tuple) return v;
  const bool is_tuple = type.kind() == TypeKind::Tuple;
  if (!is_tuple && type.kind() != TypeKind::List && type.kind() != TypeKind::Set) return v;
  std::vector<Value> items;
  for (const Value& item : plain.items()) {
    if (is_tuple && items.size() >= type.elements().size()) return v;
    items.push_back(reduced(item, is_tuple ? type.elements()[items.size()] : type.element()));
  }
  return Value::tuple(std::move(items));
}

}  // namespace

base::Result<std::string> without_dropped_attributes(std::string_view json, Type type) {
  const auto whole = value::parse_json(json);
  if (!whole) return whole.error();
  auto text = value::to_json(reduced(*whole, type));
  if (!text) return base::Error{value::to_string(text.error())};
  return std::move(*text);
}

}  // namespace tofu::providers
