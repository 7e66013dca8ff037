#include "diag/diagnostic.h"

#include <gtest/gtest.h>

namespace tofu::diag {
namespace {

std::string summaries(const Diagnostics& diags) {
  std::string all;
  for (const Diagnostic& item : diags.items()) all += item.summary + " ";
  return all;
}

TEST(Diagnostics, AnEntryExistsFromTheStartOfItsChain) {
  Diagnostics diags;
  auto entry = diags.error("broken");
  diags.warning("odd");

  entry.detail("Mend it.").in("locals").about("module.a");

  EXPECT_EQ(diags.items()[0].detail, "Mend it.");
  EXPECT_EQ(diags.items()[0].in, "locals");
  EXPECT_EQ(diags.items()[0].address, "module.a");
  EXPECT_TRUE(diags.items()[1].detail.empty());
}

TEST(Diagnostics, CountsErrorsAndNotWarnings) {
  Diagnostics diags;
  diags.warning("w");
  EXPECT_FALSE(diags.has_errors());

  diags.error("e");
  EXPECT_EQ(diags.error_count(), 1u);
  EXPECT_EQ(diags.size(), 2u);
}

TEST(Diagnostics, TakingKeepsOrderAndEmptiesTheOther) {
  Diagnostics a;
  a.error("1");
  Diagnostics b;
  b.warning("2");
  b.error("3");

  a.take(std::move(b));

  EXPECT_EQ(summaries(a), "1 2 3 ");
  EXPECT_EQ(a.error_count(), 2u);
  EXPECT_TRUE(b.empty());
  EXPECT_FALSE(b.has_errors());
}

TEST(Diagnostics, SortByPlaceIsStableAndPutsThePlacelessLast) {
  Diagnostics diags;
  diags.error("none");
  diags.error("b").at(SourceRange{{1}, 0, 1});
  diags.error("a2").at(SourceRange{{0}, 5, 6});
  diags.error("a1").at(SourceRange{{0}, 2, 3});
  diags.error("a1again").at(SourceRange{{0}, 2, 3});

  diags.sort_by_place();

  EXPECT_EQ(summaries(diags), "a1 a1again a2 b none ");
}

TEST(Diagnostics, DisplayOrderIsWarningsThenPlacelessThenShallowFiles) {
  SourceMap sources;
  const FileId deep = sources.add("a/b/main.tf", "xxxxxxxx");
  const FileId z = sources.add("z.tf", "xxxxxxxx");
  const FileId b = sources.add("b.tf", "xxxxxxxx");
  Diagnostics diags;
  diags.error("deep").at(SourceRange{deep, 0, 1});
  diags.error("z").at(SourceRange{z, 0, 1});
  diags.error("b5").at(SourceRange{b, 5, 6});
  diags.error("b1").at(SourceRange{b, 1, 2});
  diags.error("none");
  diags.warning("warned").at(SourceRange{deep, 3, 4});

  diags.sort_for_display(sources);

  EXPECT_EQ(summaries(diags), "warned none b1 b5 z deep ");
}

TEST(Diagnostics, KeepsALimitedNumberOfErrors) {
  Diagnostics diags;
  for (std::size_t i = 0; i < Diagnostics::kMaxKept + 5; ++i) diags.error("e").detail("d");
  EXPECT_EQ(diags.size(), Diagnostics::kMaxKept);
  EXPECT_EQ(diags.error_count(), Diagnostics::kMaxKept + 5);
  diags.warning("w");
  EXPECT_EQ(diags.size(), Diagnostics::kMaxKept + 1);

  Diagnostics more;
  more.error("first");
  more.take(std::move(diags));
  EXPECT_EQ(more.size(), Diagnostics::kMaxKept + 1);
  EXPECT_EQ(more.error_count(), Diagnostics::kMaxKept + 6);
  EXPECT_EQ(more.items()[0].summary, "first");
}

}  // namespace
}  // namespace tofu::diag
