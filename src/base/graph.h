// Order and cycles of numbered things that wait for each other.
//
// Knows nothing of what the numbers stand for: rows of a program, moves of a state, functions
// of a library. Linear in things and edges, and without recursion: a chain of a million
// waits is no problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tofu::base {

// Edges of all things in one row: those of `i` are edges[begin[i]] to
// edges[begin[i + 1]].
struct Waits {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> edges;

  std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size() - 1); }
  std::span<const std::uint32_t> of(std::uint32_t thing) const {
    return std::span(edges).subspan(begin[thing], begin[thing + 1] - begin[thing]);
  }
  // The same of a list for each thing.
  static Waits of_lists(std::span<const std::vector<std::uint32_t>> lists);
  // Ends the edges of one thing; those of the next are pushed after it.
  void close() { begin.push_back(static_cast<std::uint32_t>(edges.size())); }
};

struct Ordered {
  std::vector<std::uint32_t> order;  // everything, dependencies first
  // Each as a closed walk: every one waits for the next, the last for the first.
  std::vector<std::vector<std::uint32_t>> cycles;
  // For each cycle everything that waits for itself by way of it, or of another that has
  // something in common with it. Without these there is no cycle.
  std::vector<std::vector<std::uint32_t>> tangles;
};

// Whether a thing that waits only for itself is a cycle.
enum class Alone : std::uint8_t { NoCycle, Cycle };

Ordered order(const Waits& waits, Alone alone = Alone::NoCycle);

}  // namespace tofu::base
