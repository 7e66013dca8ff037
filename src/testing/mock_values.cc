#include "testing/mock_values.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "schema/members.h"
#include "value/convert.h"

namespace tofu::testing {

namespace {

using providers::Problem;
using value::Type;
using value::TypeKind;
using value::Value;

void refuse(std::string summary, std::string detail, std::vector<Problem>& problems) {
  problems.push_back({diag::Severity::Error, std::move(summary), std::move(detail), {}});
}

// FNV-1a: spreads names over all numbers.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

// Whether the configuration says something here.
bool is_said(const Value& v) { return !v.is_null(); }

bool has_errors(const std::vector<Problem>& problems, std::size_t from) {
  return std::any_of(problems.begin() + static_cast<std::ptrdiff_t>(from), problems.end(),
                     [](const Problem& p) { return p.severity == diag::Severity::Error; });
}

template <class Item>
std::vector<const Item*> by_name(const std::vector<Item>& items) {
  std::vector<const Item*> sorted;
  for (const Item& item : items) sorted.push_back(&item);
  std::ranges::sort(sorted, {}, &Item::name);
  return sorted;
}

}  // namespace

MockValues::MockValues(std::string_view type, Known known) : state_(hash_of(type)), known_(known) {}

// SplitMix64: a few operations, and no seed is a bad one.
std::uint64_t MockValues::chance(std::uint64_t below) {
  state_ += 0x9e3779b97f4a7c15;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return (z ^ (z >> 31)) % below;
}

std::string MockValues::text() {
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ1234567890";
  constexpr std::uint64_t kShortest = 4;
  constexpr std::uint64_t kLongest = 15;
  std::string made;
  const std::uint64_t length = kShortest + chance(kLongest - kShortest + 1);
  for (std::uint64_t i = 0; i < length; ++i) made += kLetters[chance(kLetters.size())];
  return made;
}

Value MockValues::made_up(Type type) {
  switch (type.kind()) {
    case TypeKind::Bool: return Value::boolean(false);
    case TypeKind::Number: return Value::integer(0);
    case TypeKind::String: return Value::string(text());
    case TypeKind::List: return Value::list(type.element(), {});
    case TypeKind::Set: return Value::set(type.element(), {});
    case TypeKind::Map: return Value::map(type.element(), std::vector<value::MapEntry>());
    case TypeKind::Object: {
      std::vector<Value> items;
      for (const auto& attribute : type.attributes()) items.push_back(made_up(attribute.type));
      return Value::object(type, std::move(items));
    }
    case TypeKind::Tuple: {
      std::vector<Value> items;
      for (const Type element : type.elements()) items.push_back(made_up(element));
      return Value::tuple(std::move(items));
    }
    case TypeKind::Dynamic:
    case TypeKind::Capsule: break;
  }
  return Value::null();
}

Value MockValues::computed(Value v) const {
  return known_ == Known::Now ? std::move(v) : Value::unknown(v.type());
}

Value MockValues::attribute(const schema::Attribute& attribute, const Value& config,
                            const Value* given, std::vector<Problem>& problems) {
  const std::string summary = fmt::format("Invalid value for the attribute {:?}", attribute.name);
  const Type type = attribute.type.without_optional_attributes();
  Value wanted = Value::null(type);
  if (given != nullptr) {
    if (is_said(config)) {
      refuse(summary, "The configuration gives it a value, which cannot be overridden.", problems);
    }
    if (!attribute.computed) {
      refuse(summary, "Only attributes that the provider computes can be overridden.", problems);
    }
    auto converted = value::convert(*given, attribute.type);
    if (converted) {
      wanted = std::move(*converted);
    } else {
      refuse(summary,
             fmt::format("The value does not match the attribute's type: {}.",
                         value::to_string(converted.error())),
             problems);
    }
  }
  if (attribute.write_only) {
    if (given != nullptr) {
      problems.push_back({diag::Severity::Warning,
                          summary,
                          "It is write-only, so that it is always null afterwards.",
                          {}});
    }
    return Value::null(type);
  }
  if (is_said(config)) return config;
  if (attribute.required) {
    refuse(summary, "It is required, and the configuration does not give it a value.", problems);
    return Value::null(type);
  }
  if (given != nullptr) return computed(std::move(wanted));
  return attribute.computed ? computed(made_up(type)) : Value::null(type);
}

Value MockValues::block(const schema::NestedBlock& nested, const Value& config, const Value* given,
                        std::vector<Problem>& problems) {
  const std::string summary = fmt::format("Invalid value for the block {:?}", nested.name);
  if (given != nullptr && given->type().kind() != TypeKind::Object) {
    refuse(summary, "A block is overridden by an object.", problems);
    return schema::empty_value(nested);
  }
  const bool is_one =
      nested.nesting == schema::Nesting::Single || nested.nesting == schema::Nesting::Group;
  const bool is_there =
      is_said(config) && !config.is_unknown() && (is_one || config.plain().size() != 0);
  if (!is_there) {
    if (given != nullptr) {
      refuse(summary, "The configuration has no such block to override.", problems);
    }
    // Blocks of which it is not known how many there are stay so.
    return config.is_unknown() ? config : schema::empty_value(nested);
  }
  const Value inside = given == nullptr ? Value::null() : *given;
  if (is_one) return compose(*nested.block, config, inside, problems);
  std::vector<Value> items;
  for (const Value& item : config.plain().items()) {
    items.push_back(compose(*nested.block, item, inside, problems));
  }
  const Type element = items.front().type();
  switch (nested.nesting) {
    case schema::Nesting::List:
      return config.type().kind() == TypeKind::Tuple ? Value::tuple(std::move(items))
                                                     : Value::list(element, std::move(items));
    case schema::Nesting::Set: return Value::set(element, std::move(items));
    case schema::Nesting::Map: {
      const auto keys = config.plain().map_keys();
      return Value::map(element, std::vector<Value>(keys.begin(), keys.end()), std::move(items));
    }
    case schema::Nesting::Single:
    case schema::Nesting::Group: break;
  }
  return schema::empty_value(nested);
}

Value MockValues::compose(const schema::Block& schema, const Value& config, const Value& given,
                          std::vector<Problem>& problems) {
  const auto part = [](const Value& object, const std::string& name) -> const Value* {
    const bool has_parts = !object.is_null() && !object.is_unknown();
    return has_parts ? object.plain().find(name) : nullptr;
  };
  const std::size_t before = problems.size();
  std::vector<value::Attr> parts;
  const auto in_config = [&](const std::string& name) {
    const Value* found = part(config, name);
    return found == nullptr ? Value::null() : *found;
  };
  // In the order of names, so that chance gives each the same wherever it is declared.
  for (const schema::Attribute* each : by_name(schema.attributes)) {
    parts.push_back(
        {each->name, attribute(*each, in_config(each->name), part(given, each->name), problems)});
  }
  if (has_errors(problems, before)) return Value::null(schema.implied_type());
  for (const schema::NestedBlock* each : by_name(schema.blocks)) {
    parts.push_back(
        {each->name, block(*each, in_config(each->name), part(given, each->name), problems)});
  }
  if (!given.is_null()) {
    for (const auto& named : given.type().attributes()) {
      if (schema.attribute(named.name) != nullptr || schema.block(named.name) != nullptr) continue;
      refuse(fmt::format("Unknown attribute {:?}", named.name),
             "Objects of this type have no such attribute or block to override.", problems);
    }
  }
  if (has_errors(problems, before)) return Value::null(schema.implied_type());
  return Value::object(std::move(parts));
}

}  // namespace tofu::testing
