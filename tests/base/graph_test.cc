#include "base/graph.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::base {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

Waits waits_of(const std::vector<std::vector<std::uint32_t>>& lists) {
  return Waits::of_lists(lists);
}

TEST(Order, EverythingComesAfterWhatItWaitsFor) {
  const Ordered ordered = order(waits_of({{2}, {0, 2}, {3}, {}}));

  EXPECT_THAT(ordered.cycles, IsEmpty());
  EXPECT_THAT(ordered.order, ElementsAre(3, 2, 0, 1));
}

TEST(Order, ThingsThatWaitForNothingKeepTheirOrder) {
  EXPECT_THAT(order(waits_of({{}, {}, {}})).order, ElementsAre(0, 1, 2));
}

TEST(Order, ACycleIsAWalkThatEachMemberContinues) {
  const Ordered ordered = order(waits_of({{}, {3, 0}, {1}, {2}}));

  EXPECT_THAT(ordered.cycles, ElementsAre(ElementsAre(1, 3, 2)));
}

TEST(Order, SeparateCyclesAreToldApart) {
  const Ordered ordered = order(waits_of({{1}, {0}, {3, 0}, {2}}));

  EXPECT_THAT(ordered.cycles, ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
}

TEST(Order, AWalkLeavesOutWhatOnlyHangsOnTheCycle) {
  // 0 → 1 → 2 → 0, and a longer way round through 3.
  const Ordered ordered = order(waits_of({{1}, {2, 3}, {0}, {2}}));

  EXPECT_THAT(ordered.cycles, ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(Order, AWalkBeginsWhereTheSearchComesUponTheCycle) {
  // 0 → 2, from where 3 is the shortest way back and 1 part of a longer one.
  EXPECT_THAT(order(waits_of({{2}, {2}, {3, 4}, {2}, {1}})).cycles, ElementsAre(ElementsAre(2, 3)));
}

TEST(Order, AThingThatWaitsForItselfIsACycleIfAsked) {
  EXPECT_THAT(order(waits_of({{0}})).cycles, IsEmpty());
  EXPECT_THAT(order(waits_of({{0}, {2}, {1}}), Alone::Cycle).cycles,
              ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
}

TEST(Order, WithoutATangleThereIsNoCycle) {
  // 0 and 1, 1 and 2: two cycles with 1 in common.
  const Ordered ordered = order(waits_of({{1}, {0, 2}, {1}, {0}}));

  EXPECT_THAT(ordered.cycles, ElementsAre(ElementsAre(0, 1)));
  EXPECT_THAT(ordered.tangles, ElementsAre(::testing::UnorderedElementsAre(0, 1, 2)));
}

TEST(Order, AChainOfAMillionWaitsNeedsNoStack) {
  constexpr std::uint32_t kLength = 1'000'000;
  Waits waits;
  for (std::uint32_t i = 0; i < kLength; ++i) {
    if (i + 1 < kLength) waits.edges.push_back(i + 1);
    waits.close();
  }
  const Ordered ordered = order(waits);

  EXPECT_EQ(ordered.order.front(), kLength - 1);
  EXPECT_EQ(ordered.order.back(), 0U);
}

}  // namespace
}  // namespace tofu::base
