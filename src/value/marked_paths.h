// Marks of a value as a list of places, and back.
//
// Files keep values without marks and say beside them what is marked. A set cannot have
// marked elements, so no place is inside of one.
#pragma once

#include <span>
#include <vector>

#include "value/marks.h"
#include "value/path.h"
#include "value/value.h"

namespace tofu::value {

struct MarkedPath {
  Path path;
  Marks marks;
};

// Every marked part of `v`, the outer before the inner.
std::vector<MarkedPath> marked_paths(const Value& v);

// `v` with these marks added. A path that leads nowhere is passed over; one that leads
// into a set marks the set.
Value with_marks_at(const Value& v, std::span<const MarkedPath> places);

}  // namespace tofu::value
