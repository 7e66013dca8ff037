#include "features/features.h"

#include <gtest/gtest.h>
#include <set>

#include "features/editions.h"

namespace tofu::features {
namespace {

TEST(FeatureList, HasOneRowPerNameAndPerFeature) {
  std::set<std::string_view> names;
  std::size_t features = 0;
  for (const Row& row : all_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    // A selectable feature that is an experiment elsewhere says nothing.
    const bool is_silent = row.text.empty() && row.state == State::Selectable;
    EXPECT_TRUE(is_silent || row.text.ends_with('.')) << row.name;
    const bool can_be_on = row.state == State::ActiveExperiment || row.state == State::Selectable;
    EXPECT_EQ(row.feature.has_value(), can_be_on) << row.name;
    EXPECT_EQ(!row.block_type.empty(), row.state == State::Selectable) << row.name;
    if (row.feature) ++features;
  }
  EXPECT_EQ(features, kFeatureCount);
}

TEST(FeatureList, SymbolLibrariesAreSelectedByTheirBlock) {
  const Row* row = find_by_block_type("symbols");

  ASSERT_NE(row, nullptr);
  EXPECT_EQ(row, &row_of(Feature::SymbolLibraries));
  EXPECT_EQ(row, find_row("symbol_libraries"));
  EXPECT_EQ(find_by_block_type("symbol_libraries"), nullptr);
  EXPECT_EQ(find_row("symbols"), nullptr);
}

TEST(FeatureSet, HoldsWhatWasAdded) {
  FeatureSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_FALSE(set.has(Feature::SymbolLibraries));

  set.add(FeatureSet{Feature::SymbolLibraries});

  EXPECT_TRUE(set.has(Feature::SymbolLibraries));
  EXPECT_EQ(set, FeatureSet{Feature::SymbolLibraries});
}

TEST(Editions, ArePacksOfFeatures) {
  EXPECT_TRUE(find_edition("tofu2024")->pack.empty());
  EXPECT_EQ(find_edition("tofu2024"), &all_editions().front());
  EXPECT_EQ(find_edition("tofu2030"), nullptr);
  for (const Row& row : all_rows()) {
    if (!row.feature) continue;
    EXPECT_EQ(find_edition("tofu2026")->pack.has(*row.feature), row.state == State::Selectable);
  }
}

}  // namespace
}  // namespace tofu::features
