#include "views/ordered_texts.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "base/check.h"

namespace tofu::views {
namespace {

std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> made(count);
  std::iota(made.begin(), made.end(), 0U);
  return made;
}

std::string written(const std::vector<std::uint32_t>& things, const MakeText& make) {
  std::string all;
  write_in_order(things, make, [&](std::string_view text) { all += text; });
  return all;
}

void append_number(std::uint32_t thing, base::Arena& arena, std::string& text) {
  text += arena.copy(std::to_string(thing) + "\n");
}

TEST(OrderedTexts, TextsAreWrittenInTheOrderOfTheThings) {
  for (const std::size_t count : {0, 1, 100, 1'000, 10'000}) {
    std::string expected;
    for (std::size_t i = 0; i < count; ++i) expected += std::to_string(i) + "\n";
    EXPECT_EQ(written(numbers(count), append_number), expected) << count;
  }
}

TEST(OrderedTexts, LongTextsAreWrittenInPieces) {
  std::size_t longest = 0;
  std::size_t all = 0;
  constexpr std::size_t kLong = 200'000;
  const auto things = numbers(600);
  write_in_order(
      things,
      [](std::uint32_t thing, base::Arena&, std::string& text) {
        text.append(kLong, static_cast<char>('a' + thing % 26));
      },
      [&](std::string_view text) {
        EXPECT_EQ(text.front(), static_cast<char>('a' + all / kLong % 26));
        longest = std::max(longest, text.size());
        all += text.size();
      });
  EXPECT_EQ(all, things.size() * kLong);
  EXPECT_LT(longest, (std::size_t{1} << 20) + kLong);
}

TEST(OrderedTexts, WhatIsDoneMeanwhileIsOverAtTheEnd) {
  for (const std::size_t count : {0, 1, 10'000}) {
    std::string all;
    int times = 0;
    write_in_order(
        numbers(count), append_number, [&](std::string_view text) { all += text; },
        [&] { ++times; });
    EXPECT_EQ(times, 1) << count;
    EXPECT_EQ(all, written(numbers(count), append_number)) << count;
  }
}

TEST(OrderedTexts, WhatBreaksMeanwhileReachesTheCaller) {
  for (const std::size_t count : {1, 10'000}) {
    EXPECT_THROW(write_in_order(
                     numbers(count), append_number, [](std::string_view) {},
                     [] { TOFU_CHECK(false, "this can be done"); }),
                 base::InternalError);
  }
}

TEST(OrderedTexts, ABrokenPromiseReachesTheCaller) {
  const auto make = [](std::uint32_t thing, base::Arena& arena, std::string& text) {
    TOFU_CHECK(thing != 700, "there is no such thing");
    append_number(thing, arena, text);
  };
  EXPECT_THROW((void)written(numbers(5'000), make), base::InternalError);
}

}  // namespace
}  // namespace tofu::views
