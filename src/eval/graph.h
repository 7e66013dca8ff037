// Order and cycles of numbered things that wait for each other.
//
// Knows nothing of what the numbers stand for. Linear in things and edges, and
// without recursion: a chain of a million waits is no problem.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tofu::eval {

// Edges of all things in one row: those of `i` are edges[begin[i]] to
// edges[begin[i + 1]].
struct Waits {
  std::vector<std::uint32_t> begin = {0};
  std::vector<std::uint32_t> edges;

  std::uint32_t size() const { return static_cast<std::uint32_t>(begin.size() - 1); }
  std::span<const std::uint32_t> of(std::uint32_t thing) const {
    return std::span(edges).subspan(begin[thing], begin[thing + 1] - begin[thing]);
  }
  // Ends the edges of one thing; those of the next are pushed after it.
  void close() { begin.push_back(static_cast<std::uint32_t>(edges.size())); }
};

struct Ordered {
  std::vector<std::uint32_t> order;                // everything, after what it waits for
  std::vector<std::vector<std::uint32_t>> cycles;  // each as a closed walk: every one waits for the
                                                   // next, the last for the first
};

// A thing that waits for itself alone is not a cycle.
Ordered order(const Waits& waits);

}  // namespace tofu::eval
