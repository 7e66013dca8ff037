// Which elements of two sequences belong together.
//
// A pair names positions before and after; kNowhere on one side is an element
// that was removed or added.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "views/plain_value.h"

namespace tofu::views {

inline constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

struct MatchedPair {
  std::size_t before = kNowhere;
  std::size_t after = kNowhere;
  bool operator==(const MatchedPair&) const = default;
};

// Elements in common stay, by the longest common subsequence; what lies between
// them was removed, then added. Elements that are different but for which
// `pairs_up(before, after)` is true are shown as one changed element instead.
// The choice among equally long subsequences is OpenTofu's.
using PairsUp = std::function<bool(std::size_t, std::size_t)>;
std::vector<MatchedPair> match_sequences(std::span<const std::uint64_t> before,
                                         std::span<const std::uint64_t> after,
                                         const PairsUp& pairs_up);
std::vector<MatchedPair> match_sequences(std::span<const PlainValue> before,
                                         std::span<const PlainValue> after,
                                         const PairsUp& pairs_up);
std::vector<MatchedPair> match_lines(std::span<const std::string_view> before,
                                     std::span<const std::string_view> after);

// In a set only equality counts: first the old elements, in order, each with its equal if it still
// exists; then the new ones. `equal` is called for elements with the same JSON.
std::vector<MatchedPair> match_sets(std::span<const PlainValue> before,
                                    std::span<const PlainValue> after, const PairsUp& equal);

}  // namespace tofu::views
