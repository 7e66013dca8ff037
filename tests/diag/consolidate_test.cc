#include "diag/consolidate.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>

#include "diag/snippet.h"

namespace tofu::diag {
namespace {

Diagnostics three_of_a_kind() {
  Diagnostics diags;
  diags.warning("Old").detail("Stop.").at(SourceRange{{0}, 0, 1});
  diags.error("Old").at(SourceRange{{0}, 1, 2});
  diags.warning("Old").at(SourceRange{{0}, 2, 3});
  diags.warning("Other").at(SourceRange{{0}, 3, 4});
  diags.warning("Old");
  diags.warning("Old").at(SourceRange{{0}, 4, 5});
  return diags;
}

TEST(Consolidate, FoldsSimilarOnesIntoTheFirst) {
  const Diagnostics diags = three_of_a_kind();

  const auto kept = consolidate(diags.items(), {1}, Severity::Warning);

  ASSERT_EQ(kept.size(), 4u);  // the error, the other warning and the placeless one stay
  EXPECT_EQ(kept[0].folded, (std::vector<SourceRange>{{{0}, 2, 3}, {{0}, 4, 5}}));
  EXPECT_EQ(shown_detail(kept[0], SourceMap()), "Stop.\n\n(and 2 more similar warnings elsewhere)");
  EXPECT_EQ(kept[1].severity, Severity::Error);
  EXPECT_EQ(kept[2].summary, "Other");
  EXPECT_FALSE(kept[3].subject);
}

TEST(Consolidate, KeepsAsManyAsTheThreshold) {
  const Diagnostics diags = three_of_a_kind();

  const auto kept = consolidate(diags.items(), {2}, Severity::Warning);

  ASSERT_EQ(kept.size(), 5u);
  EXPECT_TRUE(kept[0].folded.empty());
  EXPECT_EQ(shown_detail(kept[2], SourceMap()), "(and one more similar warning elsewhere)");
}

TEST(Consolidate, RespectsKeysAndThoseKeptApart) {
  Diagnostics diags;
  for (int i = 0; i < 4; ++i) diags.error("Bad").at(SourceRange{{0}, 0, 1});
  diags.items_from(0)[1].similar_if = "x";
  diags.items_from(0)[2].keep_apart = true;

  EXPECT_EQ(consolidate(diags.items(), {1}, Severity::Error).size(), 3u);
}

TEST(Consolidate, ThoseAboutOneThingAreOneThatListsTheOtherPlaces) {
  SourceMap sources;
  const FileId file = sources.add("main.tf", "a\nb\nc\nd\n");
  Diagnostics diags;
  for (std::uint32_t i = 0; i < 4; ++i) {
    diags.warning("Old").detail("Use new.").at(SourceRange{file, 2 * i, 2 * i + 1});
    diags.items_from(0).back().similar_if = i == 1 ? "another" : "one";
  }

  const auto kept = consolidate(diags.items(), {}, Severity::Warning);

  ASSERT_EQ(kept.size(), 2u);
  EXPECT_EQ(shown_detail(kept[0], sources),
            "Use new.\n\nThe same holds for:\n  main.tf:3\n  main.tf:4");
  EXPECT_EQ(kept[1].similar_if, "another");
}

TEST(Consolidate, OfManyPlacesTenAreListedAndTheRestIsCounted) {
  SourceMap sources;
  const FileId file = sources.add("main.tf", std::string(14, '\n'));
  Diagnostics diags;
  for (std::uint32_t i = 0; i < 14; ++i) {
    diags.warning("Old").at(SourceRange{file, i, i});
    diags.items_from(0).back().similar_if = "one";
  }

  const auto kept = consolidate(diags.items(), {}, Severity::Warning);

  ASSERT_EQ(kept.size(), 1u);
  const std::string detail = shown_detail(kept[0], sources);
  EXPECT_NE(detail.find("\n  main.tf:11\n  (and 3 more)"), std::string::npos) << detail;
}

}  // namespace
}  // namespace tofu::diag
