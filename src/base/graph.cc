#include "base/graph.h"

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace tofu::base {

namespace {

constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();

// Tarjan's strongly connected components, with a stack of our own. Components
// come out after everything they wait for, which is the order asked for.
class Components {
 public:
  Components(const Waits& waits, Alone alone)
      : waits_(waits),
        alone_(alone),
        seen_at_(waits.size(), kUnseen),
        low_(waits.size()),
        open_(waits.size()) {}

  Ordered run();

 private:
  struct Visit {
    std::uint32_t thing;
    std::uint32_t next_edge;
  };

  void enter(std::uint32_t thing);
  void leave(std::uint32_t thing);
  bool is_cycle(std::span<const std::uint32_t> members) const;

  const Waits& waits_;
  Alone alone_;
  std::vector<std::uint32_t> seen_at_;
  std::vector<std::uint32_t> low_;
  std::vector<bool> open_;  // still on `component_`
  std::vector<std::uint32_t> component_;
  std::vector<Visit> visits_;
  std::uint32_t clock_ = 0;
  Ordered out_;
};

void Components::enter(std::uint32_t thing) {
  seen_at_[thing] = low_[thing] = clock_++;
  open_[thing] = true;
  component_.push_back(thing);
  visits_.push_back({thing, 0});
}

// A closed walk through one component: the shortest way back to its first member, which is
// where the search came upon it. Breadth first over the members.
std::vector<std::uint32_t> closed_walk(const Waits& waits, std::vector<std::uint32_t> members) {
  if (members.size() == 1) return members;
  const std::uint32_t start = members.front();
  std::ranges::sort(members);
  const auto position = [&](std::uint32_t thing) -> std::size_t {
    const auto found = std::ranges::lower_bound(members, thing);
    if (found == members.end() || *found != thing) return members.size();
    return static_cast<std::size_t>(found - members.begin());
  };
  std::vector<std::uint32_t> came_from(members.size(), kUnseen);
  std::vector<std::uint32_t> queue = {start};
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const std::uint32_t next : waits.of(queue[i])) {
      const std::size_t at = position(next);
      if (at == members.size() || next == queue[i]) continue;
      if (next == start) {
        std::vector<std::uint32_t> walk;
        for (std::uint32_t back = queue[i]; back != start; back = came_from[position(back)]) {
          walk.push_back(back);
        }
        walk.push_back(start);
        std::ranges::reverse(walk);
        return walk;
      }
      if (came_from[at] != kUnseen) continue;
      came_from[at] = queue[i];
      queue.push_back(next);
    }
  }
  return members;
}

void Components::leave(std::uint32_t thing) {
  if (low_[thing] != seen_at_[thing]) return;
  const auto first = std::ranges::find(component_.rbegin(), component_.rend(), thing).base() - 1;
  const std::span<const std::uint32_t> members(first, component_.end());
  for (const std::uint32_t member : members) open_[member] = false;
  out_.order.insert(out_.order.end(), members.rbegin(), members.rend());
  if (is_cycle(members)) {
    out_.tangles.emplace_back(members.begin(), members.end());
    out_.cycles.push_back(closed_walk(waits_, out_.tangles.back()));
  }
  component_.erase(first, component_.end());
}

bool Components::is_cycle(std::span<const std::uint32_t> members) const {
  if (members.size() > 1) return true;
  return alone_ == Alone::Cycle &&
         std::ranges::find(waits_.of(members[0]), members[0]) != waits_.of(members[0]).end();
}

Ordered Components::run() {
  out_.order.reserve(waits_.size());
  for (std::uint32_t root = 0; root < waits_.size(); ++root) {
    if (seen_at_[root] != kUnseen) continue;
    enter(root);
    while (!visits_.empty()) {
      Visit& visit = visits_.back();
      const std::uint32_t thing = visit.thing;
      const auto edges = waits_.of(thing);
      if (visit.next_edge == edges.size()) {
        visits_.pop_back();
        leave(thing);
        if (!visits_.empty()) {
          const std::uint32_t above = visits_.back().thing;
          low_[above] = std::min(low_[above], low_[thing]);
        }
        continue;
      }
      const std::uint32_t next = edges[visit.next_edge++];
      if (seen_at_[next] == kUnseen) {
        enter(next);
      } else if (open_[next]) {
        low_[thing] = std::min(low_[thing], seen_at_[next]);
      }
    }
  }
  return std::move(out_);
}

}  // namespace

Waits Waits::of_lists(std::span<const std::vector<std::uint32_t>> lists) {
  Waits waits;
  for (const std::vector<std::uint32_t>& list : lists) {
    waits.edges.insert(waits.edges.end(), list.begin(), list.end());
    waits.close();
  }
  return waits;
}

Ordered order(const Waits& waits, Alone alone) { return Components(waits, alone).run(); }

}  // namespace tofu::base
