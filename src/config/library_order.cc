#include "config/library_order.h"

#include <utility>

namespace tofu::config {

namespace {

// Depth first, without recursion: a chain of needs may be as long as a file.
class Search {
 public:
  explicit Search(const Needs& needs)
      : needs_(needs), places_(needs.size(), kNew), in_cycle_(needs.size(), false) {}

  NeedOrder run() {
    for (std::uint32_t i = 0; i < needs_.size(); ++i) {
      if (places_[i] == kNew) follow(i);
    }
    return std::move(found_);
  }

 private:
  static constexpr std::uint32_t kNew = UINT32_MAX;
  static constexpr std::uint32_t kDone = UINT32_MAX - 1;

  struct Step {
    std::uint32_t thing;
    std::size_t next = 0;  // the need to look at next
  };

  void enter(std::uint32_t thing) {
    places_[thing] = static_cast<std::uint32_t>(way_.size());
    way_.push_back({thing});
  }

  void follow(std::uint32_t start) {
    enter(start);
    while (!way_.empty()) {
      Step& step = way_.back();
      const auto& needs = needs_[step.thing];
      if (step.next == needs.size()) {
        places_[step.thing] = kDone;
        found_.order.push_back(step.thing);
        way_.pop_back();
        continue;
      }
      const std::uint32_t needed = needs[step.next++];
      if (places_[needed] == kNew) {
        enter(needed);
      } else if (places_[needed] != kDone) {
        note_cycle(needed);
      }
    }
  }

  // A cycle that shares its ends with one that is known already is left out: it is
  // cut by the same correction, and listing all could take quadratic space.
  void note_cycle(std::uint32_t back_to) {
    if (in_cycle_[back_to] || in_cycle_[way_.back().thing]) return;
    std::vector<std::uint32_t> cycle;
    for (std::size_t i = places_[back_to]; i < way_.size(); ++i) {
      cycle.push_back(way_[i].thing);
      in_cycle_[way_[i].thing] = true;
    }
    found_.cycles.push_back(std::move(cycle));
  }

  const Needs& needs_;
  std::vector<std::uint32_t> places_;  // on the way, or one of the two above
  std::vector<bool> in_cycle_;
  std::vector<Step> way_;
  NeedOrder found_;
};

}  // namespace

NeedOrder order_by_need(const Needs& needs) { return Search(needs).run(); }

}  // namespace tofu::config
