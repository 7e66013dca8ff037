// Rules that named types bring along, which values have to meet beside their structure.
//
// Made by the type-expression reader for types whose names stand for rules, at any depth; checked
// once a value is converted to the type. A value that is null or unknown meets all rules, and so
// does one whose rule has an unknown result.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "value/path.h"
#include "value/value.h"

namespace tofu::syntax {

struct TypeRules {
  // Why the value is refused, as sentences; nothing if it is not. The value has the marks of
  // everything that it is part of.
  using Rule = std::function<std::optional<std::string>(const value::Value&)>;
  std::vector<Rule> own;
  // Of the parts: attribute name, tuple position in decimal, or "" for the element of a collection.
  std::map<std::string, std::shared_ptr<const TypeRules>, std::less<>> children;
};

// The first rule that a value of the type breaks. Rules of parts come before those of the whole.
std::optional<value::PathError> broken_rule(const TypeRules& rules, const value::Value& v);

}  // namespace tofu::syntax
