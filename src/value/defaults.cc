#include "value/defaults.h"

#include <optional>
#include <string>
#include <utility>

#include "value/assemble.h"
#include "value/convert.h"
#include "value/nullness.h"

namespace tofu::value {
namespace {

const Defaults* child(const Defaults& defaults, std::string_view name) {
  const auto found = defaults.children.find(name);
  return found == defaults.children.end() ? nullptr : found->second.get();
}

// The defaults for one element of a list, set or tuple. The value's shape need
// not be that of the type: what does not fit is left to the conversion.
const Defaults* child_at(const Defaults& defaults, std::size_t index) {
  if (defaults.type.kind() != TypeKind::Tuple) return child(defaults, "");
  return child(defaults, std::to_string(index));
}

const Defaults* child_named(const Defaults& defaults, std::string_view name) {
  return child(defaults, defaults.type.kind() == TypeKind::Object ? name : "");
}

// One type for all, where the defaults have made the elements differ.
std::optional<Unified> unified(const std::vector<Value>& values) {
  auto result = unify_values(values, Safety::AllowUnsafe);
  if (!result || !*result) return std::nullopt;
  Unified same = std::move(*result).value();
  const auto type = settle_types(same.values);
  if (!type) return std::nullopt;
  same.type = *type;
  return same;
}

Value apply_to_sequence(const Defaults& defaults, const Plain& v) {
  const auto items = v.items();
  std::vector<Value> values;
  values.reserve(items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Defaults* inside = child_at(defaults, i);
    values.push_back(inside != nullptr ? apply_defaults(*inside, items[i]) : items[i]);
  }
  if (values.empty()) return v;
  if (v.kind() != Kind::Tuple) {
    if (auto same = unified(values)) {
      return v.kind() == Kind::Set ? Value::set(same->type, std::move(same->values))
                                   : Value::list(same->type, std::move(same->values));
    }
  }
  return Value::tuple(std::move(values));
}

Value default_for(const Defaults& defaults, const std::string& name, const Value& value) {
  const Defaults* inside = child(defaults, name);
  return inside != nullptr ? apply_defaults(*inside, value) : value;
}

std::vector<Attr> filled_attributes(const Defaults& defaults, const Plain& v) {
  std::vector<Attr> values;  // sorted by name, as for_each_element gives them
  for_each_element(v, [&](const Value& key, const Value& item) {
    const Defaults* inside = child_named(defaults, key.plain().as_string());
    values.push_back({std::string(key.plain().as_string()),
                      inside != nullptr ? apply_defaults(*inside, item) : item});
  });
  std::vector<Attr> absent;
  auto at = values.begin();
  for (const auto& [name, value] : defaults.attribute_defaults) {
    while (at != values.end() && at->name < name) ++at;
    if (at == values.end() || at->name != name) {
      absent.push_back({name, default_for(defaults, name, value)});
    } else if (at->value.is_null()) {
      at->value = default_for(defaults, name, value);
    } else if (surely_not_null(value.unmarked())) {
      at->value = at->value.refined_not_null();
    }
  }
  std::move(absent.begin(), absent.end(), std::back_inserter(values));
  return values;
}

Value apply_to_mapping(const Defaults& defaults, const Plain& v) {
  std::vector<Attr> attributes = filled_attributes(defaults, v);
  if (v.kind() == Kind::Map) {
    if (attributes.empty()) return v;
    std::vector<Value> values;
    values.reserve(attributes.size());
    for (const Attr& attribute : attributes) values.push_back(attribute.value);
    if (auto same = unified(values)) {
      std::vector<MapEntry> entries;
      entries.reserve(attributes.size());
      for (std::size_t i = 0; i < attributes.size(); ++i) {
        entries.push_back({std::move(attributes[i].name), std::move(same->values[i])});
      }
      return Value::map(same->type, std::move(entries));
    }
  }
  return Value::object(std::move(attributes));
}

}  // namespace

Value apply_defaults(const Defaults& defaults, const Value& v) {
  if (defaults.attribute_defaults.empty() && defaults.children.empty()) return v;
  switch (v.kind()) {
    case Kind::Marked: return apply_defaults(defaults, v.unmarked()).with_marks(v.marks());
    case Kind::List:
    case Kind::Set:
    case Kind::Tuple: return apply_to_sequence(defaults, v.plain());
    case Kind::Map:
    case Kind::Object: return apply_to_mapping(defaults, v.plain());
    case Kind::Null:
    case Kind::Unknown:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Capsule: return v;
  }
  return v;
}

}  // namespace tofu::value
