#include "views/sequence_match.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

namespace tofu::views {

namespace {

using Ids = std::span<const std::uint64_t>;  // equal elements have equal numbers

// How many pairs of elements are compared at most to find the longest common
// subsequence; one byte each. Beyond, a shorter one is found in linear time.
constexpr std::size_t kMaxCells = 64'000'000;

enum Direction : std::uint8_t { Up, Left, Both };

// The longest common subsequence, walked back from the end: wherever two elements
// are equal they are taken, otherwise the way goes to the longer rest.
std::vector<std::uint64_t> longest_common(Ids xs, Ids ys) {
  std::vector<std::uint8_t> way(xs.size() * ys.size());
  std::vector<std::uint32_t> above(xs.size() + 1, 0);
  std::vector<std::uint32_t> row(xs.size() + 1, 0);
  for (std::size_t y = 0; y < ys.size(); ++y) {
    for (std::size_t x = 0; x < xs.size(); ++x) {
      std::uint8_t& step = way[y * xs.size() + x];
      if (xs[x] == ys[y]) {
        step = Both;
        row[x + 1] = above[x] + 1;
      } else {
        step = row[x] > above[x + 1] ? Left : Up;
        row[x + 1] = std::max(row[x], above[x + 1]);
      }
    }
    std::swap(row, above);
  }

  std::vector<std::uint64_t> common;
  std::size_t x = xs.size();
  std::size_t y = ys.size();
  while (x > 0 && y > 0) {
    switch (static_cast<Direction>(way[(y - 1) * xs.size() + (x - 1)])) {
      case Both: common.push_back(xs[x - 1]), --x, --y; break;
      case Left: --x; break;
      case Up: --y; break;
    }
  }
  std::ranges::reverse(common);
  return common;
}

// Takes each element at its next place in the other sequence, if there is one.
std::vector<std::uint64_t> some_common(Ids xs, Ids ys) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> places;
  for (std::size_t y = 0; y < ys.size(); ++y) places[ys[y]].push_back(y);
  std::vector<std::uint64_t> common;
  std::size_t next = 0;
  for (const std::uint64_t x : xs) {
    const auto at = places.find(x);
    if (at == places.end()) continue;
    const auto place = std::ranges::lower_bound(at->second, next);
    if (place == at->second.end()) continue;
    common.push_back(x);
    next = *place + 1;
  }
  return common;
}

std::vector<std::uint64_t> common_of(Ids xs, Ids ys) {
  // Equal ends belong to every longest subsequence, so they need no table.
  std::size_t head = 0;
  while (head < xs.size() && head < ys.size() && xs[head] == ys[head]) ++head;
  std::size_t tail = 0;
  while (tail < xs.size() - head && tail < ys.size() - head &&
         xs[xs.size() - 1 - tail] == ys[ys.size() - 1 - tail]) {
    ++tail;
  }
  const Ids inner_xs = xs.subspan(head, xs.size() - head - tail);
  const Ids inner_ys = ys.subspan(head, ys.size() - head - tail);
  std::vector<std::uint64_t> common(xs.begin(), xs.begin() + static_cast<std::ptrdiff_t>(head));
  const bool small = inner_ys.empty() || inner_xs.size() <= kMaxCells / inner_ys.size();
  const auto inner = small ? longest_common(inner_xs, inner_ys) : some_common(inner_xs, inner_ys);
  common.insert(common.end(), inner.begin(), inner.end());
  common.insert(common.end(), xs.end() - static_cast<std::ptrdiff_t>(tail), xs.end());
  return common;
}

// Numbers the elements of both sequences, equal ones alike.
template <class T, class Hash, class Equal>
class Numbering {
 public:
  Numbering(Hash hash, Equal equal) : numbers_(16, hash, equal) {}
  std::vector<std::uint64_t> of(std::span<const T> items) {
    std::vector<std::uint64_t> ids;
    ids.reserve(items.size());
    for (const T& item : items) {
      ids.push_back(numbers_.emplace(&item, numbers_.size()).first->second);
    }
    return ids;
  }

 private:
  std::unordered_map<const T*, std::uint64_t, Hash, Equal> numbers_;
};

}  // namespace

std::vector<MatchedPair> match_sequences(Ids before, Ids after, const PairsUp& pairs_up) {
  const std::vector<std::uint64_t> common = common_of(before, after);
  std::vector<MatchedPair> pairs;
  std::size_t b = 0;
  std::size_t a = 0;
  std::size_t c = 0;
  const auto is_common = [&](Ids side, std::size_t at) {
    return c < common.size() && side[at] == common[c];
  };
  while (b < before.size() || a < after.size() || c < common.size()) {
    while (b < before.size() && !is_common(before, b)) {
      if (a < after.size() && !is_common(after, a) && pairs_up(b, a)) {
        pairs.push_back({b++, a++});
      } else {
        pairs.push_back({b++, kNowhere});
      }
    }
    while (a < after.size() && !is_common(after, a)) {
      if (b < before.size() && pairs_up(b, a)) {
        pairs.push_back({b++, a++});
      } else {
        pairs.push_back({kNowhere, a++});
      }
    }
    if (c < common.size()) {
      // Pairing up may have used the common element on one side already.
      pairs.push_back({b < before.size() ? b : kNowhere, a < after.size() ? a : kNowhere});
      ++b, ++a, ++c;
    }
  }
  return pairs;
}

std::vector<MatchedPair> match_sequences(std::span<const PlainValue> before,
                                         std::span<const PlainValue> after,
                                         const PairsUp& pairs_up) {
  const auto hash = [](const PlainValue* v) { return static_cast<std::size_t>(v->hash); };
  const auto equal = [](const PlainValue* x, const PlainValue* y) { return same(*x, *y); };
  Numbering<PlainValue, decltype(hash), decltype(equal)> numbering(hash, equal);
  const auto xs = numbering.of(before);
  const auto ys = numbering.of(after);
  return match_sequences(Ids(xs), Ids(ys), pairs_up);
}

std::vector<MatchedPair> match_lines(std::span<const std::string_view> before,
                                     std::span<const std::string_view> after) {
  const auto hash = [](const std::string_view* v) { return std::hash<std::string_view>{}(*v); };
  const auto equal = [](const std::string_view* x, const std::string_view* y) { return *x == *y; };
  Numbering<std::string_view, decltype(hash), decltype(equal)> numbering(hash, equal);
  const auto xs = numbering.of(before);
  const auto ys = numbering.of(after);
  return match_sequences(Ids(xs), Ids(ys), [](std::size_t, std::size_t) { return false; });
}

std::vector<MatchedPair> match_sets(std::span<const PlainValue> before,
                                    std::span<const PlainValue> after, const PairsUp& equal) {
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash;
  for (std::size_t i = 0; i < after.size(); ++i) by_hash[after[i].hash].push_back(i);
  std::vector<bool> used(after.size(), false);
  std::vector<MatchedPair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) {
    MatchedPair pair{i, kNowhere};
    const auto candidates = by_hash.find(before[i].hash);
    if (candidates != by_hash.end()) {
      for (const std::size_t j : candidates->second) {
        if (used[j] || !same(before[i], after[j]) || !equal(i, j)) continue;
        used[j] = true;
        pair.after = j;
      }
    }
    pairs.push_back(pair);
  }
  for (std::size_t j = 0; j < after.size(); ++j) {
    if (!used[j]) pairs.push_back({kNowhere, j});
  }
  return pairs;
}

}  // namespace tofu::views
