// Maps and objects: their keys and values, looking up, merging, making them.
#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/counted.h"
#include "functions/arguments.h"
#include "functions/collection.h"
#include "functions/define.h"
#include "functions/errors.h"
#include "value/convert.h"
#include "value/path.h"
#include "value/size_limit.h"

namespace tofu::functions {

namespace {

using syntax::argument_error;
using syntax::Arguments;
using syntax::CallError;
using syntax::CallResult;
using value::Kind;
using value::Marks;
using value::Type;
using value::TypeKind;
using value::Value;

CallResult<Type> keys_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::Map) return Type::list(Type::string());
  if (type.kind() == TypeKind::Object) {
    return Type::tuple(std::vector<Type>(type.attributes().size(), Type::string()));
  }
  return argument_error(0, "a map or an object is required");
}

CallResult<Value> keys(Arguments arguments, Type type) {
  const auto& map = arguments[0].unmarked();
  const Marks marks = arguments[0].marks();
  std::vector<Value> keys;
  if (map.type().kind() == TypeKind::Object) {  // even of an unknown object they are known
    for (const auto& attribute : map.type().attributes()) {
      keys.push_back(Value::string(attribute.name));
    }
    return Value::tuple(std::move(keys)).with_marks(marks);
  }
  if (map.is_unknown()) return Value::unknown(type).with_marks(marks);
  keys.assign(map.map_keys().begin(), map.map_keys().end());
  return Value::list(Type::string(), std::move(keys)).with_marks(marks);
}

CallResult<Type> values_type(Arguments arguments) {
  const Type type = arguments[0].type();
  if (type.kind() == TypeKind::Map) return Type::list(type.element());
  if (type.kind() != TypeKind::Object) {
    return call_error("a map or an object is required");
  }
  if (arguments[0].is_known()) return Type::dynamic();  // the body makes the tuple's type
  std::vector<Type> types;
  for (const auto& attribute : type.attributes()) types.push_back(attribute.type);
  return Type::tuple(types);
}

CallResult<Value> values(Arguments arguments, Type) {
  const auto& map = arguments[0].unmarked();
  std::vector<Value> items(map.items().begin(), map.items().end());
  const Value result = map.kind() == Kind::Object
                           ? Value::tuple(std::move(items))
                           : Value::list(map.type().element(), std::move(items));
  return result.with_marks(arguments[0].marks());
}

CallResult<Type> lookup_type(Arguments arguments) {
  if (arguments.size() > 3) {
    return call_error(fmt::format("two or three arguments are required, not {}", arguments.size()));
  }
  const Type type = arguments[0].type();
  const bool has_default = arguments.size() == 3;
  if (type.kind() == TypeKind::Map) {
    if (has_default && !value::convert(arguments[2], type.element())) {
      return argument_error(2, "the default must be of the same type as the elements of the map");
    }
    return type.element();
  }
  if (type.kind() != TypeKind::Object) return argument_error(0, "a map or an object is required");

  const auto& key = arguments[1].unmarked();
  if (key.is_unknown()) return Type::dynamic();
  if (const auto attribute = type.attribute_index(key.as_string())) {
    return type.attributes()[*attribute].type;
  }
  if (has_default) return arguments[2].type();
  return argument_error(0, fmt::format("the object has no attribute {}",
                                       shown(key.as_string(), arguments[1].marks())));
}

CallResult<Value> lookup(Arguments arguments, Type type) {
  const auto& map = arguments[0].unmarked();
  const auto& key = arguments[1].unmarked();
  const Marks key_marks = arguments[1].marks();
  const Marks marks = arguments[0].marks().with(key_marks);
  if (const Value* found = map.find(key.as_string())) return found->with_marks(marks);
  if (arguments.size() == 3) {
    auto fallback = value::convert(arguments[2], type);
    if (!fallback) return call_error(to_string(fallback.error()));
    return fallback->with_marks(marks);
  }
  return call_error(
      fmt::format("the map has no element with the key {}", shown(key.as_string(), key_marks)));
}

CallError cannot_merge(Type type) {
  return call_error(
      fmt::format("only maps and objects can be merged, not {}", friendly_name(type)));
}

// A null object adds nothing, as if it had no attributes.
Type merged_type(const Value& argument) {
  const Type type = argument.type();
  return type.kind() == TypeKind::Object && argument.is_null() ? Type::object({}) : type;
}

CallResult<Type> merge_type(Arguments arguments) {
  bool same = true;
  bool maps_known = true;
  bool all_known = true;
  for (const Value& argument : arguments) {
    const Type type = merged_type(argument);
    if (type.is_dynamic()) return Type::dynamic();
    if (!is_map_or_object(type)) return cannot_merge(type);
    if (type != merged_type(arguments[0])) same = false;
    if (argument.is_known()) continue;
    all_known = false;
    if (type.kind() == TypeKind::Map) maps_known = false;
  }
  if (arguments.empty()) return Type::object({});
  if (same) return merged_type(arguments[0]);
  // Which attributes the result has is seen when it is made, or not known yet.
  if (all_known || !maps_known) return Type::dynamic();

  std::unordered_map<std::string_view, Type> types;
  std::vector<Value> inside;  // keeps the keys alive
  for (const Value& argument : arguments) {
    const Value& map = inside.emplace_back(argument.unmarked());
    if (map.is_null()) continue;
    if (map.type().kind() == TypeKind::Object) {
      for (const auto& attribute : map.type().attributes()) {
        types.insert_or_assign(attribute.name, attribute.type);
      }
    } else {
      for (const Value& key : map.plain().map_keys()) {
        types.insert_or_assign(key.plain().as_string(), map.type().element());
      }
    }
  }
  std::vector<value::ObjectAttribute> attributes;
  for (const auto& [name, type] : types) attributes.push_back({std::string(name), type});
  return Type::object(std::move(attributes));
}

CallResult<Value> merge_maps(Arguments arguments, Type element) {
  std::vector<Value> keys;
  std::vector<Value> items;
  for (const Value& argument : arguments) {
    const auto& map = argument.unmarked();
    if (map.is_null()) continue;
    keys.insert(keys.end(), map.map_keys().begin(), map.map_keys().end());
    items.insert(items.end(), map.items().begin(), map.items().end());
    if (items.size() > value::kMaxElements) return call_error(value::too_many_elements());
  }
  return Value::map(element, std::move(keys), std::move(items));
}

// The name that the element at `i` of an argument gets in an object; nothing if
// the argument cannot be merged. That shows only here when another argument's
// type is not known, such as a plain null: then OpenTofu merges sets of strings,
// too, each element under its own name.
std::optional<std::string_view> merged_name(const Value& map, std::size_t i) {
  if (map.kind() == Kind::Map) return map.plain().map_keys()[i].plain().as_string();
  if (map.kind() == Kind::Object) return map.type().attributes()[i].name;
  if (map.kind() == Kind::Set && map.plain().items()[i].kind() == Kind::String) {
    return map.plain().items()[i].plain().as_string();
  }
  return std::nullopt;
}

CallResult<Value> merge_objects(Arguments arguments) {
  std::vector<value::Attr> attributes;
  for (const Value& argument : arguments) {
    const auto& map = argument.unmarked();
    if (map.is_null()) continue;
    const Type type = map.type();
    if (!type.is_collection() && !type.is_structural()) return cannot_merge(type);
    for (std::size_t i = 0; i < map.size(); ++i) {
      const std::optional<std::string_view> name = merged_name(map, i);
      if (!name) return cannot_merge(type);
      attributes.push_back({std::string(*name), map.items()[i]});
    }
    if (attributes.size() > value::kMaxElements) return call_error(value::too_many_elements());
  }
  return Value::object(std::move(attributes));
}

CallResult<Value> merge(Arguments arguments, Type type) {
  Marks marks;
  for (const Value& argument : arguments) {
    if (!argument.is_null()) marks = marks.with(argument.marks());  // a null's are lost
  }
  if (type.kind() == TypeKind::Map) {
    const CallResult<Value> map = merge_maps(arguments, type.element());
    if (!map) return map;
    return map->with_marks(marks);
  }
  const CallResult<Value> object = merge_objects(arguments);
  if (!object) return object;
  return object->with_marks(marks);
}

CallResult<Value> transpose(Arguments arguments, Type type) {
  const Value& map = arguments[0];
  if (!map.wholly_known()) return Value::unknown(type);
  // Keys come in order, so the new lists are in order, too.
  std::unordered_map<std::string_view, std::vector<Value>> turned;
  std::size_t total = 0;
  for (std::size_t i = 0; i < map.plain().size(); ++i) {
    const Value& key = map.plain().map_keys()[i];
    const Value& strings = map.plain().items()[i];
    if (strings.is_null()) {
      return argument_error(0, "one of the lists is null");
    }
    for (const Value& string : strings.plain().items()) {
      if (string.is_null()) {
        return argument_error(0, "one of the strings is null");
      }
      if (++total > value::kMaxElements) return call_error(value::too_many_elements());
      turned[string.plain().as_string()].push_back(key);
    }
  }
  std::vector<value::MapEntry> entries;
  for (auto& [key, strings] : turned) {
    entries.push_back({std::string(key), Value::list(Type::string(), std::move(strings))});
  }
  return Value::map(Type::list(Type::string()), std::move(entries));
}

CallError uneven(std::size_t keys, std::size_t values) {
  return call_error(fmt::format("it was given {} for {}", base::counted(keys, "key"),
                                base::counted(values, "value")));
}

CallError null_key(std::size_t position) {
  return call_error(fmt::format("key {} is null", position));
}

CallResult<Type> zip_map_type(Arguments arguments) {
  const Type type = arguments[1].type();
  if (type.kind() == TypeKind::List) return Type::map(type.element());
  if (type.kind() != TypeKind::Tuple) {
    return call_error("the values must be a list or tuple");
  }
  const auto& keys = arguments[0].unmarked();
  if (!keys.wholly_known()) return Type::dynamic();
  const auto types = type.elements();
  if (keys.size() != types.size()) return uneven(keys.size(), types.size());
  if (arguments[1].is_known()) return Type::dynamic();  // the body makes the object's type
  std::unordered_map<std::string, Type> named;
  for (std::size_t i = 0; i < types.size(); ++i) {
    const auto& key = keys.items()[i].unmarked();
    if (key.is_null()) return null_key(i);
    named.insert_or_assign(std::string(key.as_string()), types[i]);
  }
  std::vector<value::ObjectAttribute> attributes;
  for (const auto& [name, attribute] : named) attributes.push_back({name, attribute});
  return Type::object(std::move(attributes));
}

CallResult<Value> zip_map(Arguments arguments, Type type) {
  const auto& keys = arguments[0].unmarked();
  const auto& values = arguments[1].unmarked();
  Marks marks = arguments[0].marks().with(arguments[1].marks());
  if (!keys.wholly_known()) return Value::unknown(type).with_marks(marks);
  if (keys.size() != values.size()) return uneven(keys.size(), values.size());

  std::vector<Value> names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    names.push_back(keys.items()[i].unmarked());
    if (names.back().is_null()) return null_key(i);
    marks = marks.with(keys.items()[i].marks());  // keys cannot carry them
  }
  const auto items = values.items();
  if (type.kind() == TypeKind::Map) {
    return Value::map(type.element(), std::move(names), {items.begin(), items.end()})
        .with_marks(marks);
  }
  std::vector<value::Attr> attributes;
  for (std::size_t i = 0; i < names.size(); ++i) {
    attributes.push_back({std::string(names[i].plain().as_string()), items[i]});
  }
  return Value::object(std::move(attributes)).with_marks(marks);
}

}  // namespace

void add_map(List& list) {
  const Type any = Type::dynamic();
  const Type string = Type::string();
  const Type lists = Type::map(Type::list(string));
  constexpr Accepts kMarked{.marked = true};
  define(list, "keys", "The keys of a map or the attribute names of an object, in order.")
      .takes("inputMap", any, {.unknown = true, .marked = true})
      .gives(keys_type)
      .as(keys);
  define(list, "lookup", "The element of a map or object with the given key, or else a default.")
      .takes("inputMap", any, kMarked)
      .takes("key", string, kMarked)
      .takes_many("default", any, kAnything)
      .gives(lookup_type)
      .may_give_null()
      .as(lookup);
  define(list, "merge", "One map or object with the elements of all given ones; the last wins.")
      .takes_many("maps", any, {.null = true, .dynamic = true, .marked = true})
      .gives(merge_type)
      .as(merge);
  define(list, "transpose",
         "Turns a map of lists of strings inside out: each string leads to the keys of its lists.")
      .takes("values", lists)
      .gives(lists)
      .as(transpose);
  define(list, "values", "The values of a map or object, in the order of its keys.")
      .takes("mapping", any, kMarked)
      .gives(values_type)
      .as(values);
  define(list, "zipmap", "A map or object from a list of keys and a list of values.")
      .takes("keys", Type::list(string), kMarked)
      .takes("values", any, kMarked)
      .gives(zip_map_type)
      .as(zip_map);
}

}  // namespace tofu::functions
