#include "views/tree_text.h"

#include <gtest/gtest.h>

namespace tofu::views {
namespace {

TEST(TreeText, ARootAloneIsOneLine) { EXPECT_EQ(tree_text({"root"}), "root\n"); }

TEST(TreeText, LinesGoOnOnlyWhereSomethingFollows) {
  EXPECT_EQ(tree_text({".", {{"a", {{"b", {{"c"}}}}}, {"d", {{"e"}}}}}),
            ".\n"
            "├── a\n"
            "│   └── b\n"
            "│       └── c\n"
            "└── d\n"
            "    └── e\n");
}

}  // namespace
}  // namespace tofu::views
