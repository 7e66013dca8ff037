#include "base/suggest.h"

#include <array>
#include <gtest/gtest.h>
#include <string>

namespace tofu::base {
namespace {

TEST(NearestName, TakesTheFirstNameWithinTwoEdits) {
  constexpr std::array<std::string_view, 3> kNames = {"false", "true", "null"};
  struct {
    const char* given;
    const char* found;
  } const rows[] = {{"ture", "true"}, {"treu", "true"}, {"fals", "false"}, {"nil", "null"},
                    {"true", "true"}, {"nul", "null"},  {"bananas", ""},   {"", ""},
                    {"void", ""},     {"TRUE", ""}};
  for (const auto& row : rows) EXPECT_EQ(nearest_name(row.given, kNames), row.found) << row.given;
}

TEST(NearestName, PrefersTheEarlierNameEvenIfALaterOneIsNearer) {
  const std::array<std::string, 2> names = {"abxx", "abcd"};

  EXPECT_EQ(nearest_name("abcd", names), "abxx");
}

TEST(DidYouMean, IsASentenceThatFollowsAnotherOrNothing) {
  constexpr std::array<std::string_view, 3> kNames = {"false", "true", "null"};
  EXPECT_EQ(did_you_mean("ture", kNames), " Did you mean \"true\"?");
  EXPECT_EQ(did_you_mean("bananas", kNames), "");
}

TEST(EditDistance, CountsInsertionsRemovalsAndReplacements) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 5), 3u);
  EXPECT_EQ(edit_distance("", "ab", 5), 2u);
  EXPECT_EQ(edit_distance("flaw", "lawn", 5), 2u);
  EXPECT_EQ(edit_distance("same", "same", 5), 0u);
}

TEST(EditDistance, CountsCodePointsNotBytes) { EXPECT_EQ(edit_distance("äöü", "aou", 5), 3u); }

TEST(EditDistance, StopsJustBehindTheLimit) {
  EXPECT_EQ(edit_distance("kitten", "sitting", 2), 3u);
  EXPECT_EQ(edit_distance("a", std::string(1'000'000, 'b'), 2), 3u);
}

}  // namespace
}  // namespace tofu::base
