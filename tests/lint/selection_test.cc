// Which rules a list selects.
#include "lint/selection.h"

#include <gtest/gtest.h>

#include "lint/rules.h"

namespace tofu::lint {
namespace {

struct Row {
  std::string_view list;
  bool no_type;       // core:no-type-variable, of core:confusing
  bool unused_local;  // core:unused-local, of core:improvement
  bool naming;        // tofu:naming
};

TEST(SelectionTest, TheMoreSpecificIdentifierDecides) {
  constexpr Row kRows[] = {
      {"", false, false, false},
      {"all", true, true, true},
      {"core:all", true, true, false},
      {"tofu:all", false, false, true},
      {"core:confusing", true, false, false},
      {"core:improvement", false, true, false},
      {"core:unused-local", false, true, false},
      {"all,!core:unused-local", true, false, true},
      {"!core:unused-local,all", true, false, true},
      {" all , ! core:x, !core:improvement ", true, false, true},
      {"core:unused-local,!core:improvement", false, true, false},
      {"core:improvement,!core:unused-local", false, false, false},
      {"all,!core:all", false, false, true},
      {"core:confusing,!core:all", true, false, false},
      {"!core:unused-local", false, false, false},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.list);
    const Selection selection = Selection::parse(row.list);
    EXPECT_EQ(selection.allows(kNoTypeVariable), row.no_type);
    EXPECT_EQ(selection.allows(kUnusedLocal), row.unused_local);
    EXPECT_EQ(selection.allows(kNaming), row.naming);
  }
}

TEST(SelectionTest, InclusionWinsOverExclusionOfTheSameIdentifier) {
  EXPECT_TRUE(Selection::parse("core:unused-local,!core:unused-local").allows(kUnusedLocal));
}

TEST(SelectionTest, UnknownAndMisspelledIdentifiersHaveNoEffect) {
  const Selection selection = Selection::parse("core:no-such-rule,ALL,Core:unused-local,,");
  EXPECT_FALSE(selection.allows(kUnusedLocal));
}

TEST(SelectionTest, AListThatOnlyExcludesCanBeginWithAllRules) {
  const Selection selection = Selection::parse_from_all("!core:unused-local");
  EXPECT_FALSE(selection.allows(kUnusedLocal));
  EXPECT_TRUE(selection.allows(kNaming));
}

}  // namespace
}  // namespace tofu::lint
