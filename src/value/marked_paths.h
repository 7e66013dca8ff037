// Marks of a value as a list of places, and back.
//
// Files and providers get values without marks, and a list of marked paths. A set cannot have
// marked elements, so no place is inside of one. Parts without marks are neither walked nor copied,
// and the stack use does not depend on the depth of a value or a path.
#pragma once

#include <span>
#include <vector>

#include "value/marks.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::value {

// Marks of the part of a value that `path` leads to.
struct PathMarks {
  Path path;
  Marks marks;
  bool operator==(const PathMarks&) const = default;
};

struct Unmarked {
  Value value;                   // without any mark
  std::vector<PathMarks> marks;  // outer paths come before inner ones
};
Unmarked unmark(const Value& v);

// Adds the marks. A path that leads nowhere in `v` is ignored; one that leads into an
// element of a set marks the set.
Value mark(const Value& v, std::span<const PathMarks> marks);

}  // namespace tofu::value
