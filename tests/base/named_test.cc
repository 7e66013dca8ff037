#include "base/named.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace tofu::base {
namespace {

TEST(Named, FindsEachOfManyAndNothingElse) {
  Named<int> all;
  EXPECT_EQ(all.find("n0"), nullptr);
  for (int i = 0; i < 5'000; ++i) ASSERT_NE(all.add("n" + std::to_string(i), i), nullptr);
  const Named<int> moved = std::move(all);
  for (int i = 0; i < 5'000; ++i) {
    const int* found = moved.find("n" + std::to_string(i));
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(*found, i);
  }
  EXPECT_EQ(moved.find("n5000"), nullptr);
  EXPECT_EQ(moved.find(""), nullptr);
}

TEST(Named, ANameIsTakenOnceButMayBePutAgain) {
  Named<int> all;
  int* first = all.add("a", 1);
  EXPECT_EQ(all.add("a", 2), nullptr);
  EXPECT_EQ(*all.find("a"), 1);
  EXPECT_EQ(all.put("a", 3), first);
  EXPECT_EQ(*all.put("b", 4), 4);
  EXPECT_EQ(*all.find("a"), 3);
  EXPECT_EQ(all.size(), 2u);
}

TEST(Named, WhatIsKeptUnfoundIsOnlyListed) {
  Named<int> all;
  all.add("a", 1);
  all.keep_shadowed(2);
  all.add("b", 3);
  EXPECT_EQ(std::vector<int>(all.begin(), all.end()), (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(*all.find("b"), 3);
}

}  // namespace
}  // namespace tofu::base
