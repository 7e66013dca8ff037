// The way from a value to something inside it: attributes and keys.
//
// Used by errors (which element would not convert?) and, later, for saying
// which parts of an object are sensitive or force replacement.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/result.h"
#include "value/value.h"

namespace tofu::value {

struct AttributeStep {
  std::string name;
};
struct IndexStep {
  Value key;  // a number or a string; the element itself for a set
};
using PathStep = std::variant<AttributeStep, IndexStep>;

struct Path {
  std::vector<PathStep> steps;

  bool empty() const { return steps.empty(); }
  Path with_attribute(std::string name) const;
  Path with_index(Value key) const;
};

bool operator==(const Path& a, const Path& b);

// `.tags["Name"][0]`, for messages. Empty for an empty path.
std::string to_string(const Path& path);

// An error about a part of a value.
struct PathError {
  Path path;
  std::string what;  // a clause such as "a number is required"
};

// `attribute "a": element 3: a number is required`, the path spelled in words.
std::string to_string(const PathError& error);

template <class T>
using PathResult = base::Result<T, PathError>;

// The part of `from` that `path` leads to. Marks met on the way are added to it.
PathResult<Value> follow(const Value& from, const Path& path);

}  // namespace tofu::value
