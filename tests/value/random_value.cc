#include "tests/value/random_value.h"

#include <array>
#include <string>
#include <vector>

namespace tofu::value {
namespace {

std::size_t below(std::mt19937& random, std::size_t limit) { return random() % limit; }

constexpr std::array kTexts{"",  "a",           "0",   "true",
                            "é", "line\nbreak", "<&>", "a longer text of 32 b"};
constexpr std::array kNumbers{"0",
                              "1",
                              "-1",
                              "127",
                              "-33",
                              "65536",
                              "9223372036854775808",
                              "0.1",
                              "0.5",
                              "-1e30",
                              "123456789012345678901234567890.25"};
constexpr std::array kNames{"a", "b", "ö"};

Value random_number(std::mt19937& random) {
  if (below(random, 4) == 0) return Value::number(Number::from_double(0.1));
  return Value::number(Number::parse(kNumbers[below(random, kNumbers.size())]).value());
}

Value random_unknown(std::mt19937& random, Type type) {
  Refinements known;
  known.not_null = below(random, 2) == 0;
  if (type == Type::string() && below(random, 2) == 0) known.prefix = "pre-";
  if (type == Type::number()) {
    if (below(random, 2) == 0) known.lower = Bound{Number(1), below(random, 2) == 0};
    if (below(random, 2) == 0) known.upper = Bound{Number::from_double(7.5), false};
  }
  if (type.is_collection()) {
    known.length_min = below(random, 3);
    if (below(random, 2) == 0) known.length_max = 2 + below(random, 3);
  }
  return Value::unknown(type).refined(known);
}

}  // namespace

Type random_type(std::mt19937& random, int depth) {
  switch (below(random, depth > 0 ? 8 : 3)) {
    case 0: return Type::string();
    case 1: return Type::number();
    case 2: return Type::boolean();
    case 3: return Type::list(random_type(random, depth - 1));
    case 4: return Type::set(random_type(random, depth - 1));
    case 5: return Type::map(random_type(random, depth - 1));
    case 6: {
      std::vector<Type> elements;
      while (below(random, 3) != 0) elements.push_back(random_type(random, depth - 1));
      return Type::tuple(elements);
    }
    default: {
      std::vector<ObjectAttribute> attributes;
      for (const char* name : kNames) {
        if (below(random, 2) == 0) attributes.push_back({name, random_type(random, depth - 1)});
      }
      return Type::object(std::move(attributes));
    }
  }
}

Value random_value(std::mt19937& random, Type type, RandomOptions options) {
  if (below(random, 10) == 0) return Value::null(type);
  if (options.unknown && below(random, 8) == 0) return random_unknown(random, type);
  std::vector<Value> items;
  switch (type.kind()) {
    case TypeKind::Bool: return Value::boolean(below(random, 2) == 0);
    case TypeKind::Number: return random_number(random);
    case TypeKind::String: return Value::string(kTexts[below(random, kTexts.size())]);
    case TypeKind::Tuple:
      for (const Type element : type.elements())
        items.push_back(random_value(random, element, options));
      return Value::tuple(std::move(items));
    case TypeKind::Object:
      for (const ObjectAttribute& attribute : type.attributes()) {
        items.push_back(random_value(random, attribute.type, options));
      }
      return Value::object(type, std::move(items));
    case TypeKind::List:
    case TypeKind::Set:
      while (below(random, 3) != 0) items.push_back(random_value(random, type.element(), options));
      return type.kind() == TypeKind::List ? Value::list(type.element(), std::move(items))
                                           : Value::set(type.element(), std::move(items));
    case TypeKind::Map: {
      std::vector<MapEntry> entries;
      for (const char* name : kNames) {
        if (below(random, 2) == 0) {
          entries.push_back({name, random_value(random, type.element(), options)});
        }
      }
      return Value::map(type.element(), std::move(entries));
    }
    case TypeKind::Dynamic:
    case TypeKind::Capsule: break;
  }
  return Value::null(type);
}

Value random_value(std::mt19937& random, RandomOptions options) {
  return random_value(random, random_type(random, options.depth), options);
}

}  // namespace tofu::value
