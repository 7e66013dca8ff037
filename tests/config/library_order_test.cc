#include "config/library_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tofu::config {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(LibraryOrder, WhatIsNeededComesFirst) {
  const NeedOrder found = order_by_need({{2, 1}, {}, {1}});
  EXPECT_THAT(found.order, ElementsAre(1, 2, 0));
  EXPECT_THAT(found.cycles, IsEmpty());
}

TEST(LibraryOrder, ACycleIsTheWayBackToItsFirst) {
  const NeedOrder found = order_by_need({{1}, {2}, {3}, {1}});
  EXPECT_THAT(found.cycles, ElementsAre(ElementsAre(1, 2, 3)));
  EXPECT_THAT(found.order, SizeIs(4));
}

TEST(LibraryOrder, CyclesThatShareNothingAreBothFound) {
  EXPECT_THAT(order_by_need({{0}, {2}, {1}}).cycles,
              ElementsAre(ElementsAre(0), ElementsAre(1, 2)));
}

TEST(LibraryOrder, AChainMayBeOfAnyLength) {
  Needs needs(200'000);
  for (std::uint32_t i = 1; i < needs.size(); ++i) needs[i - 1].push_back(i);
  EXPECT_EQ(order_by_need(needs).order.back(), 0U);
}

}  // namespace
}  // namespace tofu::config
