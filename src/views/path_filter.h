// The parts of a value at some paths, queried step by step from the root.
//
// Used for what forces a replacement and for which changes matter. Paths that do not fit the value
// are ignored.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "value/path.h"

namespace tofu::views {

class PathFilter {
 public:
  static PathFilter none() { return {}; }
  static PathFilter all();
  // The paths outlive the filter. With `whole`, what a path leads to is meant
  // with everything inside.
  static PathFilter of(std::span<const value::Path> paths, bool whole);

  bool matches() const;                                    // a path ends here
  bool touches() const { return all_ || !rest_.empty(); }  // or goes on from here

  PathFilter at(std::string_view key) const;
  PathFilter at(std::size_t index) const;

 private:
  template <class Fits>
  PathFilter step(Fits&& fits) const;

  bool all_ = false;
  bool whole_ = false;
  std::vector<std::span<const value::PathStep>> rest_;  // the remaining steps of each path
};

}  // namespace tofu::views
