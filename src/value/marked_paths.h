// Marks of a value as a list of places, and back.
//
// Files and providers get values without marks, and what is marked is said beside them. A
// set cannot have marked elements, so no place is inside of one. What has no marks is
// neither walked nor copied, and no depth of a value or a path needs more stack.
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
  std::vector<PathMarks> marks;  // what encloses comes before what is inside
};
Unmarked unmark(const Value& v);

// Adds the marks. A path that leads nowhere in `v` is ignored; one that leads into an
// element of a set marks the set.
Value mark(const Value& v, std::span<const PathMarks> marks);

}  // namespace tofu::value
