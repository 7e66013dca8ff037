// Default values of optional object attributes, as a type constraint gives them.
//
// Made by the type-expression reader beside the type; applied to a value before
// it is converted to that type.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "value/type.h"
#include "value/value.h"

namespace tofu::value {

struct Defaults {
  Type type;  // the constraint this belongs to
  std::map<std::string, Value, std::less<>> attribute_defaults;
  // Of the parts: attribute name, tuple position in decimal, or "" for the
  // element of a collection.
  std::map<std::string, std::unique_ptr<Defaults>, std::less<>> children;
};

// `v` with every missing or null optional attribute replaced by its default, at
// every depth. A null whole object stays null. Unknown and marked parts stay.
Value apply_defaults(const Defaults& defaults, const Value& v);

}  // namespace tofu::value
