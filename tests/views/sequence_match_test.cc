#include "views/sequence_match.h"

#include <gtest/gtest.h>
#include <random>
#include <string_view>
#include <vector>

namespace tofu::views {
namespace {

using Ids = std::vector<std::uint64_t>;

const PairsUp kNever = [](std::size_t, std::size_t) { return false; };
const PairsUp kAlways = [](std::size_t, std::size_t) { return true; };

std::string shown(const std::vector<MatchedPair>& pairs) {
  std::string out;
  for (const MatchedPair& pair : pairs) {
    out += pair.before == kNowhere ? "+" : pair.after == kNowhere ? "-" : "=";
  }
  return out;
}

std::vector<MatchedPair> match(const Ids& before, const Ids& after,
                               const PairsUp& pairs_up = kNever) {
  return match_sequences(std::span<const std::uint64_t>(before),
                         std::span<const std::uint64_t>(after), pairs_up);
}

TEST(MatchSequences, KeepsTheLongestCommonPart) {
  EXPECT_EQ(shown(match({1, 2, 3, 4}, {1, 3, 4, 5})), "=-==+");
}

TEST(MatchSequences, ShowsRemovedBeforeAdded) { EXPECT_EQ(shown(match({1}, {2})), "-+"); }

TEST(MatchSequences, PairsUpWhatIsAlike) {
  EXPECT_EQ(match({1, 2}, {3, 4}, kAlways), (std::vector<MatchedPair>{{0, 0}, {1, 1}}));
}

TEST(MatchSequences, DoesNotPairUpAnElementThatStays) {
  EXPECT_EQ(match({1, 9}, {9}, kAlways), (std::vector<MatchedPair>{{0, kNowhere}, {1, 0}}));
}

TEST(MatchSequences, FindsSomethingInCommonInSequencesTooLongForATable) {
  Ids before(20'000);
  Ids after(20'000);
  for (std::size_t i = 0; i < before.size(); ++i) {
    before[i] = i;
    after[i] = i % 7 == 0 ? 1'000'000 + i : i;
  }
  std::size_t kept = 0;
  for (const MatchedPair& pair : match(before, after)) {
    if (pair.before != kNowhere && pair.after != kNowhere) {
      EXPECT_EQ(before[pair.before], after[pair.after]);
      ++kept;
    }
  }
  EXPECT_EQ(kept, 17'142U);
}

// The obvious way, without trimming equal ends.
std::size_t longest(const Ids& xs, const Ids& ys) {
  std::vector<std::vector<std::size_t>> table(xs.size() + 1,
                                              std::vector<std::size_t>(ys.size() + 1));
  for (std::size_t x = 0; x < xs.size(); ++x) {
    for (std::size_t y = 0; y < ys.size(); ++y) {
      table[x + 1][y + 1] =
          xs[x] == ys[y] ? table[x][y] + 1 : std::max(table[x][y + 1], table[x + 1][y]);
    }
  }
  return table[xs.size()][ys.size()];
}

TEST(MatchSequences, TakesEveryElementOnceAndAsManyTogetherAsCanBe) {
  std::mt19937 random(7);
  for (int round = 0; round < 500; ++round) {
    Ids before(random() % 9);
    Ids after(random() % 9);
    for (auto& id : before) id = random() % 4;
    for (auto& id : after) id = random() % 4;
    std::size_t b = 0;
    std::size_t a = 0;
    std::size_t together = 0;
    for (const MatchedPair& pair : match(before, after)) {
      if (pair.before != kNowhere) {
        EXPECT_EQ(pair.before, b++);
      }
      if (pair.after != kNowhere) {
        EXPECT_EQ(pair.after, a++);
      }
      if (pair.before != kNowhere && pair.after != kNowhere) ++together;
    }
    EXPECT_EQ(b, before.size());
    EXPECT_EQ(a, after.size());
    EXPECT_EQ(together, longest(before, after));
  }
}

TEST(MatchLines, ComparesText) {
  const std::vector<std::string_view> before{"a", "b"};
  const std::vector<std::string_view> after{"b", "c"};
  EXPECT_EQ(shown(match_lines(before, after)), "-=+");
}

}  // namespace
}  // namespace tofu::views
