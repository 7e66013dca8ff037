// A change of source text that settles a diagnostic, for people to accept and editors to make.
//
// The range is of a whole file, never of a piece of one.
#pragma once

#include <string>

#include "diag/source.h"

namespace tofu::diag {

// Replaces the range; an empty range inserts.
struct Edit {
  SourceRange range;
  std::string text;
  bool operator==(const Edit&) const = default;
};

}  // namespace tofu::diag
