// Putting things that need each other in order, and finding those that need
// themselves.
//
// Used for everything in symbol libraries that may be written in any order: types,
// values, functions, locals, and imports of other libraries.
#pragma once

#include <cstdint>
#include <vector>

namespace tofu::config {

// For each thing, by number, the things it needs.
using Needs = std::vector<std::vector<std::uint32_t>>;

struct NeedOrder {
  std::vector<std::uint32_t> order;  // all of them; what is needed comes first, but in cycles
  // Each a way from a thing back to itself, the first not repeated at the end. Every
  // cycle there is has at least one thing in common with one of these, so leaving
  // these things out leaves no cycle.
  std::vector<std::vector<std::uint32_t>> cycles;
};

NeedOrder order_by_need(const Needs& needs);

}  // namespace tofu::config
